// Five philosophers who put the left fork down again when the right one is taken: no deadlock, and in step nobody ever eats.
// says: may go on for ever; other schedules leave it
// expect: livelock
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { PHILOSOPHERS = 5 };
static pthread_mutex_t fork_of[PHILOSOPHERS];

static void *dine(void *argument)
{
    int left = (int)(intptr_t)argument, right = (left + 1) % PHILOSOPHERS;
    for (;;) {
        pthread_mutex_lock(&fork_of[left]);
        if (pthread_mutex_trylock(&fork_of[right]) == 0)
            break;
        pthread_mutex_unlock(&fork_of[left]);
        sched_yield();
    }
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t thread[PHILOSOPHERS];
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_create(&thread[i], NULL, dine, (void *)(intptr_t)i);
    for (int i = 0; i < PHILOSOPHERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
