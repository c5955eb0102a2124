/* A library as others trust it, for test_trust.py. */
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value, ready;
static atomic_int looks, changes, open_now;
jmp_buf library_left;

__attribute__((noinline)) void stats_count(atomic_int *which)
{
    atomic_store(which, atomic_load(which) + 1); /* loses counts, which are its own affair */
}

int library_get(void)
{
    pthread_mutex_lock(&lock);
    int found = value;
    pthread_mutex_unlock(&lock);
    stats_count(&looks);
    return found;
}

void library_set(int wanted)
{
    pthread_mutex_lock(&lock);
    value = wanted;
    pthread_mutex_unlock(&lock);
    stats_count(&changes);
}

void library_add(void) /* wrong, and trusted */
{
    library_set(library_get() + 1);
}

void library_wait(void)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void library_ready(void)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void library_spin(void)
{
    while (!atomic_load(&open_now))
        ;
}

void library_open(void)
{
    atomic_store(&open_now, 1);
}

void library_call(void (*callback)(void))
{
    stats_count(&looks);
    callback();
    stats_count(&looks);
}

void library_leave(void)
{
    stats_count(&looks);
    longjmp(library_left, 1);
}

pthread_mutex_t *library_lock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return &lock;
}

void library_with(pthread_mutex_t *others)
{
    pthread_mutex_lock(others);
    pthread_mutex_unlock(others);
}
