// The divisor is set after the thread that divides was created: a SIGFPE in one of the two orders.
// expect: crash
// says: SIGFPE
// bound preemption:0: pass, traces 1
// bound preemption:1: crash
// bound none: crash, traces 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int divisor, quotient;

static void *divide(void *unused)
{
    pthread_mutex_lock(&mutex);
    quotient = 42 / divisor;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, divide, NULL);
    pthread_mutex_lock(&mutex);
    divisor = 2;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
