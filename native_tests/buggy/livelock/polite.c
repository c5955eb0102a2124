// Two polite threads: each takes its own lock, tries the other's, gives way when it is taken and starts again. In step they give
// way for ever, under the fairest scheduler.
// options: --max-steps=600
// expect: livelock
// bound fair:2: livelock
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *be_polite(void *argument)
{
    int mine = *(int *)argument;
    for (;;) {
        pthread_mutex_lock(&lock[mine]);
        if (pthread_mutex_trylock(&lock[1 - mine]) == 0)
            break;
        pthread_mutex_unlock(&lock[mine]);
        sched_yield();
    }
    pthread_mutex_unlock(&lock[1 - mine]);
    pthread_mutex_unlock(&lock[mine]);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int side[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, be_polite, &side[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
