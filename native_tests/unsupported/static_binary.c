// A statically linked program cannot be preloaded into: refused by name before it runs.
// flags: -static
// says: static
// expect: uncontrolled
int main(void)
{
    return 0;
}
