// A thread made with clone() has no pthread behind it: refused at the call, by name.
// says: clone
// expect: uncontrolled
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

static int work(void *unused)
{
    return unused != NULL;
}

int main(void)
{
    enum { STACK = 1 << 16 };
    char *stack = malloc(STACK);
    int child = clone(work, stack + STACK, CLONE_VM | SIGCHLD, NULL);
    waitpid(child, NULL, 0);
    free(stack);
    return 0;
}
