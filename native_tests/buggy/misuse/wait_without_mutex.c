// A thread waits on a condition with a mutex it does not hold.
// says: wait
// bound none: misuse
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_badly(void *unused)
{
    pthread_cond_wait(&changed, &mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_badly, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return 0;
}
