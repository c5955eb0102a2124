// The heap grows by megabytes and blocks made before main are given back: the next execution finds the heap as the last one did.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 32, BYTES = 60000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *block[BLOCKS], *heap_end;

__attribute__((constructor)) static void before_main(void)
{
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = malloc(BYTES);
        memset(block[i], 'a' + i % 26, BYTES);
    }
    heap_end = sbrk(0);
}

static void *grow(void *unused)
{
    pthread_mutex_lock(&mutex);
    char *large = malloc(4 << 20);
    memset(large, 1, 4 << 20);
    free(large);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert((char *)sbrk(0) - heap_end < 1 << 20); /* the first execution's: nothing but the tool's own few pages was added */
    for (int i = 0; i < BLOCKS; i++)
        for (int at = 0; at < BYTES; at += 1000)
            assert(block[i][at] == 'a' + i % 26);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, grow, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        free(block[i]); /* unwritten until here */
    return 0;
}
