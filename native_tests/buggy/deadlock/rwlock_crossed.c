// Each reads one map and writes the other: a crossed pair of read-write locks. Without a preemption it goes well.
// expect: deadlock
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 3
#include <pthread.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void copy(pthread_rwlock_t *from, pthread_rwlock_t *to)
{
    pthread_rwlock_rdlock(from);
    pthread_rwlock_wrlock(to);
    pthread_rwlock_unlock(to);
    pthread_rwlock_unlock(from);
}

static void *forth(void *unused)
{
    copy(&a, &b);
    return unused;
}

static void *back(void *unused)
{
    copy(&b, &a);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, forth, NULL);
    pthread_create(&thread[1], NULL, back, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
