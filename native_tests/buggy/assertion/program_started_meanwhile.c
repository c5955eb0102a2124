// A program that a thread starts gets the environment and the working directory that another one may have changed by then.
// with ANSWER=0, expect: assertion
// with ANSWER=1, expect: assertion
// with ANSWER=0 DIRECTORY=1, expect: assertion
// with ANSWER=1 DIRECTORY=1, expect: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *change(void *unused)
{
#ifdef DIRECTORY
    assert(chdir("/tmp") == 0);
#else
    setenv("CHANGED", "1", 1);
#endif
    return unused;
}

static int run(void)
{
    char shell[] = "sh", option[] = "-c", command[] = "test \"$(pwd -P)\" = /tmp", *words[] = {shell, option, command, NULL};
    int status;
    pid_t child;
#ifdef DIRECTORY
    assert(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0 && waitpid(child, &status, 0) == child);
#else
    (void)words;
    (void)child;
    status = system("test -n \"$CHANGED\"");
#endif
    return status == 0;
}

int main(void)
{
    pthread_t thread;
    assert(chdir("/") == 0);
    pthread_create(&thread, NULL, change, NULL);
    int changed = run();
    pthread_join(thread, NULL);
    assert(changed == ANSWER);
    return 0;
}
