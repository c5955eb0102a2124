// Thread-specific values are private, their destructors run at the thread's end with the value, again if they set a new one, and
// under control: the destructor takes a mutex.
// options: --machine-code=off
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key, again;
static int destroyed, rounds;

static void destroy(void *value)
{
    pthread_mutex_lock(&mutex);
    destroyed += (int)(intptr_t)value;
    pthread_mutex_unlock(&mutex);
}

static void destroy_again(void *value)
{
    intptr_t left = (intptr_t)value - 1;
    __atomic_fetch_add(&rounds, 1, __ATOMIC_SEQ_CST);
    if (left > 0)
        pthread_setspecific(again, (void *)left);
}

static void *set(void *value)
{
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, value) == 0);
    assert(pthread_getspecific(key) == value);
    assert(pthread_setspecific(again, (void *)2) == 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    assert(pthread_key_create(&key, destroy) == 0);
    assert(pthread_key_create(&again, destroy_again) == 0);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, set, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(destroyed == 3);
    assert(rounds == 4);
    assert(pthread_key_delete(key) == 0);
    return 0;
}
