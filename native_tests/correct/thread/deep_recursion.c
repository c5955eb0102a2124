// Threads recurse through six megabytes of a default stack; at the bottom one waits for another, and all of it is still there.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { FRAME = 4096, DEPTH = (6 << 20) / FRAME };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int descend(int depth)
{
    volatile char frame[FRAME];
    memset((char *)frame, depth & 0x7f, sizeof frame);
    if (depth < DEPTH) {
        int below = descend(depth + 1);
        return below + (frame[0] == (depth & 0x7f) && frame[FRAME - 1] == (depth & 0x7f));
    }
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *recurse(void *unused)
{
    assert(descend(0) == DEPTH);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, recurse, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
