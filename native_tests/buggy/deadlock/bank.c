// The demo: two transfers lock the same two accounts in opposite orders. One preemption between the locks and both wait for ever.
// expect: deadlock
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 3
// bound none: deadlock, traces 3
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account b = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *alice(void *unused)
{
    transfer(&a, &b, 10);
    return unused;
}

static void *bob(void *unused)
{
    transfer(&b, &a, 20);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, alice, NULL);
    pthread_create(&two, NULL, bob, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("a %d, b %d\n", a.balance, b.balance);
    return 0;
}
