// The balance is checked in one critical section and drawn in another: both withdrawals pass the check.
// expect: assertion
// bound preemption:0: pass, traces 2
// bound preemption:1: assertion, traces 5
// bound none: assertion, traces 8
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int enough(int amount)
{
    pthread_mutex_lock(&mutex);
    int answer = balance >= amount;
    pthread_mutex_unlock(&mutex);
    return answer;
}

static void *withdraw(void *unused)
{
    if (enough(80)) {
        pthread_mutex_lock(&mutex);
        balance -= 80;
        assert(balance >= 0);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
