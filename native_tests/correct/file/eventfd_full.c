// A write that an eventfd has no room for waits for a read; the library's eventfd_read and eventfd_write are the same operations.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event;

static void *take(void *unused)
{
    eventfd_t value;
    assert(eventfd_read(event, &value) == 0 && value == UINT64_MAX - 2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    eventfd_t value;
    event = eventfd(0, 0);
    assert(eventfd_write(event, UINT64_MAX - 2) == 0);
    pthread_create(&thread, NULL, take, NULL);
    assert(eventfd_write(event, 5) == 0);
    pthread_join(thread, NULL);
    assert(eventfd_read(event, &value) == 0 && value == 5);
    return 0;
}
