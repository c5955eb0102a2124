// A mutex on main's stack, shared with a thread through its argument: lock order is the only freedom.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t mutex;
    int balance;
};

static void *deposit(void *argument)
{
    struct account *account = argument;
    pthread_mutex_lock(&account->mutex);
    account->balance += 10;
    pthread_mutex_unlock(&account->mutex);
    return NULL;
}

int main(void)
{
    struct account account = {.balance = 0};
    pthread_t thread;
    pthread_mutex_init(&account.mutex, NULL);
    pthread_create(&thread, NULL, deposit, &account);
    deposit(&account);
    pthread_join(thread, NULL);
    assert(account.balance == 20);
    pthread_mutex_destroy(&account.mutex);
    return 0;
}
