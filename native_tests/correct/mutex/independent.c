// Two threads with a mutex each: nothing conflicts, one trace is all there is.
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <pthread.h>

static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *use_own(void *own)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(own);
        pthread_mutex_unlock(own);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use_own, &mutex[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
