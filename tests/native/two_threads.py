"""The end of many C programs of the tests: two threads that do one thing each (two %s), started and joined by main."""

TWO_THREADS = """static void *first(void *unused) { %s; return unused; }
static void *second(void *unused) { %s; return unused; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
"""
