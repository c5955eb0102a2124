// Back-off that counts its rounds for as long as it waits: no round is like the one before, and the loop ends by somebody else only. A
// small fair bound cannot tell it from a loop that gets on; one that lets it go round 256 times alone can.
// bound fair:2: inconclusive
// bound fair:512: pass
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static int is_set(void)
{
    pthread_mutex_lock(&mutex);
    int set = flag;
    pthread_mutex_unlock(&mutex);
    return set;
}

static void *waiter(void *unused)
{
    for (volatile unsigned rounds = 0; !is_set(); rounds++)
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
}
