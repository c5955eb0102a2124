// The result of a try is ignored and the critical section entered without the lock.
// expect: assertion
// bound preemption:0: pass, traces 2
// bound preemption:1: assertion, traces 5
// bound none: assertion, traces 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, count = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void change(int by)
{
    pthread_mutex_lock(&count);
    inside += by;
    assert(inside <= 1);
    pthread_mutex_unlock(&count);
}

static void enter_and_leave(void)
{
    change(1);
    change(-1);
}

static void *lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    enter_and_leave();
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *try_only(void *unused)
{
    int locked = pthread_mutex_trylock(&mutex) == 0;
    enter_and_leave();
    if (locked)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, lock, NULL);
    pthread_create(&thread[1], NULL, try_only, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
