// Readers share the lock, a writer has it alone; readers commute with each other, so only who comes before the writer counts.
// bound none: pass, traces 4
// bound preemption:0: pass, traces 4
// bound preemption:1: pass, traces 4
// with READERS=4, bound preemption:1: pass, traces 16
#include <assert.h>
#include <pthread.h>

#ifndef READERS
#define READERS 2
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;

static void *reader(void *unused)
{
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(first == second);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

static void *writer(void *unused)
{
    assert(pthread_rwlock_wrlock(&lock) == 0);
    first++;
    second++;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[READERS + 1];
    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, reader, NULL);
    pthread_create(&thread[READERS], NULL, writer, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    assert(first == 1 && second == 1);
    return 0;
}
