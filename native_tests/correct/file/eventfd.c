// An eventfd as a counter and as a semaphore: a read waits until there is something, and takes all or one.
// needs: eventfd read write
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int sum, permits;

static void *post(void *unused)
{
    uint64_t one = 1;
    assert(write(sum, &one, sizeof one) == sizeof one);
    assert(write(permits, &one, sizeof one) == sizeof one);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    uint64_t value;
    sum = eventfd(0, 0);
    permits = eventfd(0, EFD_SEMAPHORE);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, post, NULL);
    for (int i = 0; i < 2; i++)
        assert(read(permits, &value, sizeof value) == sizeof value && value == 1);
    assert(read(sum, &value, sizeof value) == sizeof value && value == 2);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
