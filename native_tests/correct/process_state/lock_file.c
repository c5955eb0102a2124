// Whoever makes the file does the work: O_EXCL lets one of them, in every order.
// bound none: pass, traces 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[4096];
static int works[2];

static void *work(void *number)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    works[number != NULL] = fd >= 0;
    return NULL;
}

int main(void)
{
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/lock-%d", directory ? directory : "/tmp", (int)getpid());
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, path);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    unlink(path);
    assert(works[0] + works[1] == 1);
    return 0;
}
