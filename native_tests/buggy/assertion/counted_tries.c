// Four tries of a lock that somebody holds are no waiting either: one preemption brings the thread to its tries, another one lets the
// lock be given back between them.
// bound preemption:0..1: pass
// bound preemption:2: assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *try_four_times(void *unused)
{
    int won = 0;
    for (int i = 0; i < 4; i++)
        if (pthread_mutex_trylock(&lock) == 0) {
            won++;
            pthread_mutex_unlock(&lock);
        }
    assert(won != 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, try_four_times, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
