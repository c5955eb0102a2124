// A block of many pages is freed, and the next one, which may lie where it lay, is another thread's: every use is in order.
// compiler: bpor
// bound preemption:0..2: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *use_one(void *unused)
{
    pthread_mutex_lock(&mutex);
    char *block = calloc(1, BYTES);
    block[BYTES / 2] = 1;
    memset(block, 2, BYTES / 4);
    assert(block[0] == 2 && block[BYTES - 1] == 0);
    free(block);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, use_one, NULL);
    pthread_create(&other, NULL, use_one, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
