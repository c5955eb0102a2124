// A directory takes the place of another one, as a new release does, while a thread reads a file by the old path. The way to the
// file is changed, not its own name. The same with a symbolic link on the way.
// expect: assertion
// with LINK=1, bound preemption:0: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LINK
#define LINK 0
#endif

static char home[] = "/tmp/bporXXXXXX";

static void *release(void *unused)
{
    assert(rename("next", "now") == 0);
    return unused;
}

static void *reader(void *unused)
{
    assert(access(LINK ? "link/file" : "now/file", F_OK) == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    if (mkdtemp(home) == NULL || chdir(home) != 0)
        return 2;
    mkdir("next", 0700);
    close(creat("next/file", 0600));
    if (symlink("now", "link") != 0)
        return 2;
    pthread_create(&one, NULL, release, NULL);
    pthread_create(&two, NULL, reader, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
