// Threads open and close files of their own. Nobody uses a number that is closed, so that it does not matter who gets which.
// bound none: pass
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *use(void *unused)
{
    char byte;
    int file = open("/proc/self/cmdline", O_RDONLY), copy = dup(file);
    close(file);
    long got = read(copy, &byte, 1);
    assert(got == 1);
    close(copy);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    close(1000); /* nobody is there yet */
    pthread_create(&one, NULL, use, NULL);
    pthread_create(&two, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
