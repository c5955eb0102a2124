// poll waits for whichever of two pipes is written first, times out in virtual time when none is, and does not wait with no time.
// needs: pipe poll read write
// bound none: pass
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int first[2], second[2];

static void *write_one(void *end)
{
    assert(write(*(int *)end, "x", 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    assert(pipe(first) == 0 && pipe(second) == 0);
    struct pollfd set[2] = {{.fd = first[0], .events = POLLIN}, {.fd = second[0], .events = POLLIN}};
    assert(poll(set, 2, 0) == 0);
    assert(poll(set, 2, 10) == 0);
    pthread_create(&thread[0], NULL, write_one, &first[1]);
    pthread_create(&thread[1], NULL, write_one, &second[1]);
    int ready = poll(set, 2, -1);
    assert(ready == 1 || ready == 2);
    assert((set[0].revents & POLLIN) || (set[1].revents & POLLIN));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(poll(set, 2, 0) == 2);
    return 0;
}
