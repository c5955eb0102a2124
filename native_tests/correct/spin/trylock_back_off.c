// One thread takes the second lock by trying, and gives the first one back when that fails, without a yield in the source; the other
// takes both in the opposite order and waits. The failed tries count as yields, so the loop ends under the fair bound.
// says: yields inferred at trylock_back_off.c:17
// bound fair:2,preemption:1..3: pass
// bound fair:2: pass
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counter;

static void *try_second(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock[0]);
        if (pthread_mutex_trylock(&lock[1]) == 0)
            break;
        pthread_mutex_unlock(&lock[0]);
    }
    counter++;
    pthread_mutex_unlock(&lock[1]);
    pthread_mutex_unlock(&lock[0]);
    return unused;
}

static void *take_both(void *unused)
{
    pthread_mutex_lock(&lock[1]);
    pthread_mutex_lock(&lock[0]);
    counter++;
    pthread_mutex_unlock(&lock[0]);
    pthread_mutex_unlock(&lock[1]);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, try_second, NULL);
    pthread_create(&thread[1], NULL, take_both, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
