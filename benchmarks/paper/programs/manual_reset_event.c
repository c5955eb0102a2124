// A manual-reset event as a slim one is built: whoever waits looks at the state first, without the lock, and sleeps only if it must; who sets it
// takes the lock only if somebody sleeps. Two threads wait, each for its own event and then for its neighbour's; a third sets, resets and sets both.
#include <pthread.h>
#include <stdatomic.h>

enum { EVENTS = 2 };

struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int set;
    atomic_int sleepers;
};

static struct event events[EVENTS] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0},
                                      {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0}};

static void event_wait(struct event *event)
{
    if (atomic_load(&event->set))
        return;
    pthread_mutex_lock(&event->lock);
    atomic_fetch_add(&event->sleepers, 1);
    while (!atomic_load(&event->set))
        pthread_cond_wait(&event->changed, &event->lock);
    atomic_fetch_sub(&event->sleepers, 1);
    pthread_mutex_unlock(&event->lock);
}

static void event_set(struct event *event)
{
    atomic_store(&event->set, 1);
    if (!atomic_load(&event->sleepers))
        return;
    pthread_mutex_lock(&event->lock);
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

static void *waiter(void *argument)
{
    long number = (long)argument;
    event_wait(&events[number]);
    event_wait(&events[(number + 1) % EVENTS]);
    return 0;
}

static void *setter(void *unused)
{
    event_set(&events[0]);
    atomic_store(&events[0].set, 0);
    event_set(&events[1]);
    event_set(&events[0]);
    return unused;
}

int main(void)
{
    pthread_t threads[EVENTS + 1];
    for (long i = 0; i < EVENTS; i++)
        pthread_create(&threads[i], 0, waiter, (void *)i);
    pthread_create(&threads[EVENTS], 0, setter, 0);
    for (int i = 0; i <= EVENTS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
