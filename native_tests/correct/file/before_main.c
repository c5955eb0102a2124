// A pipe and an eventfd made before main, with something in them, are each execution's own: what one takes, the next finds again.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int ends[2], event;

__attribute__((constructor)) static void make(void)
{
    assert(pipe(ends) == 0 && write(ends[1], "ab", 2) == 2);
    event = eventfd(3, 0);
}

static void *take(void *unused)
{
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    uint64_t value;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(read(event, &value, sizeof value) == sizeof value && value == 3);
    close(ends[1]);
    char byte;
    assert(read(ends[0], &byte, 1) == 0);
    return 0;
}
