// The stack of main reaches further down than it did at the fork point; what was left there is gone when the program starts anew.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    volatile char deep[1 << 20]; // not initialised: what the kernel gives is zero
    pthread_t one, two;
    char *first = (char *)deep;
    __asm__("" : "+r"(first) : : "memory");
    assert(*first == 0);
    *first = 1;
    pthread_create(&one, NULL, lock, NULL);
    pthread_create(&two, NULL, lock, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
