// A manual-reset event, tested as its users do: two threads wait for it, one sets it, one sets and resets it again.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_set;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_set)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void set(int value)
{
    pthread_mutex_lock(&lock);
    is_set = value;
    if (value)
        pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *pulser(void *unused)
{
    set(1);
    set(0);
    set(1);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waiter, 0);
    pthread_create(&threads[1], 0, waiter, 0);
    pthread_create(&threads[2], 0, pulser, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
