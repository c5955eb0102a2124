// The owner drops an object and its pointer under the lock; the user, who did not look again, follows the null pointer.
// expect: crash
// says: SIGSEGV
// bound preemption:1: crash
// bound none: crash, traces 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *object;

static void *use(void *unused)
{
    pthread_mutex_lock(&mutex);
    *(volatile int *)object = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *drop(void *unused)
{
    pthread_mutex_lock(&mutex);
    free(object);
    object = NULL;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    object = malloc(sizeof *object);
    pthread_create(&thread[0], NULL, use, NULL);
    pthread_create(&thread[1], NULL, drop, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
