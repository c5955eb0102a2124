// A cycle over three locks and three threads, each of which is harmless beside either of the others alone.
// bound preemption:0: pass, traces 6
// bound preemption:1: deadlock, traces 7
#include <pthread.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void both(int first, int second)
{
    pthread_mutex_lock(&lock[first]);
    pthread_mutex_lock(&lock[second]);
    pthread_mutex_unlock(&lock[second]);
    pthread_mutex_unlock(&lock[first]);
}

static void *zero_one(void *unused)
{
    both(0, 1);
    return unused;
}

static void *one_two(void *unused)
{
    both(1, 2);
    return unused;
}

static void *two_zero(void *unused)
{
    both(2, 0);
    return unused;
}

int main(void)
{
    void *(*routine[3])(void *) = {zero_one, one_two, two_zero};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, routine[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
