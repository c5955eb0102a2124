// ftrylockfile fails while another thread holds the stream and succeeds for its owner; printf by the owner does not wait. The other's
// try comes before, inside or after the time it is held.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int held;

static void *try_once(void *unused)
{
    if (ftrylockfile(stdout) == 0) {
        assert(!held);
        funlockfile(stdout);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, try_once, NULL);
    flockfile(stdout);
    held = 1;
    printf("held\n");
    assert(ftrylockfile(stdout) == 0);
    funlockfile(stdout);
    held = 0;
    funlockfile(stdout);
    pthread_join(thread, NULL);
    return 0;
}
