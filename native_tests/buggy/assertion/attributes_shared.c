// Attributes that two threads share are variables like others, though libc reads and writes them: here of a thread, of a mutex and
// of a condition.
// says: is false
// bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_attr_t of_thread;
static pthread_mutexattr_t of_mutex;
static pthread_condattr_t of_condition;

static void *look(void *unused)
{
    int state, kind;
    clockid_t clock;
    pthread_attr_getdetachstate(&of_thread, &state);
    pthread_mutexattr_gettype(&of_mutex, &kind);
    pthread_condattr_getclock(&of_condition, &clock);
    assert((state == PTHREAD_CREATE_DETACHED) == (kind == PTHREAD_MUTEX_RECURSIVE));
    assert((kind == PTHREAD_MUTEX_RECURSIVE) == (clock == CLOCK_MONOTONIC));
    return unused;
}

static void *change(void *unused)
{
    pthread_condattr_setclock(&of_condition, CLOCK_MONOTONIC);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_attr_init(&of_thread);
    pthread_mutexattr_init(&of_mutex);
    pthread_condattr_init(&of_condition);
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
