// Who am I: pthread_self is the handle that the creator got, gettid tells every thread another number and the same one twice, and
// neither changes while the thread waits.
// bound none: pass, traces 6
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 3 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t told[THREADS];
static pid_t number[THREADS];

static void *look(void *place)
{
    pthread_t self = pthread_self();
    pid_t mine = gettid();
    assert(mine == (pid_t)syscall(SYS_gettid));
    pthread_mutex_lock(&mutex);
    told[(pthread_t *)place - told] = self;
    number[(pthread_t *)place - told] = mine;
    pthread_mutex_unlock(&mutex);
    assert(pthread_equal(self, pthread_self()) && gettid() == mine);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    assert(gettid() == getpid());
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, look, &told[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert(pthread_equal(told[i], thread[i]) && !pthread_equal(told[i], pthread_self()));
        assert(number[i] != getpid());
        for (int j = 0; j < i; j++)
            assert(!pthread_equal(told[i], told[j]) && number[i] != number[j]);
    }
    return 0;
}
