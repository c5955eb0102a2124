// Three polite threads in a ring: each takes its own lock, tries its neighbour's, gives way when it is taken and starts again. All in
// step give way for ever; a schedule in which one of them gets both leaves the round.
// says: may go on for ever; other schedules leave it
// expect: livelock
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { THREADS = 3 };
static pthread_mutex_t lock[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *be_polite(void *argument)
{
    int mine = (int)(intptr_t)argument, other = (mine + 1) % THREADS;
    for (;;) {
        pthread_mutex_lock(&lock[mine]);
        if (pthread_mutex_trylock(&lock[other]) == 0)
            break;
        pthread_mutex_unlock(&lock[mine]);
        sched_yield();
    }
    pthread_mutex_unlock(&lock[other]);
    pthread_mutex_unlock(&lock[mine]);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, be_polite, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
