// A parent sees one byte of an exit status: 256 is success, whoever says it and however.
// with WAY=0, bound none: pass
// with WAY=1, bound none: pass
// with WAY=2, bound none: pass
// with WAY=3, bound none: pass
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

#ifndef WAY
#define WAY 0
#endif

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    switch (WAY) {
    case 1:
        exit(0x7f00);
    case 2:
        _exit(-256);
    case 3:
        quick_exit(512);
    default:
        return 256;
    }
}
