// The program gets its own arguments and its own environment, without the tool's LD_PRELOAD or any other variable of ours.
// args: one --two three
// bound none: pass, traces 1
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv)
{
    if (argc == 1)
        return 0;
    assert(argc == 4);
    assert(strcmp(argv[1], "one") == 0 && strcmp(argv[2], "--two") == 0 && strcmp(argv[3], "three") == 0);
    assert(getenv("LD_PRELOAD") == NULL);
    for (char **variable = environ; *variable; variable++)
        assert(strncmp(*variable, "BPOR_NATIVE", 11) != 0);
    return 0;
}
