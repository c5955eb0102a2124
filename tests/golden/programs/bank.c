// Two transfers in opposite directions, each taking its own account first.
#include <pthread.h>

struct account {
    int id;
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {1, PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {2, PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay(void *unused)
{
    transfer(&alice, &bob, 10);
    return unused;
}

static void *refund(void *unused)
{
    transfer(&bob, &alice, 5);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, pay, 0);
    pthread_create(&threads[1], 0, refund, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
