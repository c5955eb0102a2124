#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static pthread_mutex_t left, right;
static int retries;

static void *polite(void *other_first)
{
    pthread_mutex_t *mine = other_first ? &right : &left, *other = other_first ? &left : &right;
    for (;;) {
        pthread_mutex_lock(mine);
        if (pthread_mutex_trylock(other) == 0)
            break;
        pthread_mutex_unlock(mine);
        retries++;
        sched_yield();
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(mine);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, polite, NULL);
    pthread_create(&two, NULL, polite, &left);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
