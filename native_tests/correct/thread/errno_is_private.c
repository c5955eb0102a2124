// errno belongs to its thread: what one sets, another neither sees nor changes, across calls that block.
// bound none: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *set_and_block(void *number)
{
    assert(errno == 0);
    errno = (int)(intptr_t)number;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(errno == (int)(intptr_t)number);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    errno = ENOSPC;
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, set_and_block, (void *)(EPERM + i));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(errno == ENOSPC);
    return 0;
}
