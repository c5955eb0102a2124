// A signal may wake any of the waiters, not only the first: each of the two waiters is seen to take the first ticket after both
// waited.
// bound none: pass, traces 10
// bound preemption:0: pass, traces 10
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tickets;

static void *take_ticket(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (tickets == 0)
        pthread_cond_wait(&changed, &mutex);
    tickets--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *sell_tickets(void *unused)
{
    pthread_mutex_lock(&mutex);
    tickets = 2;
    pthread_cond_signal(&changed);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, take_ticket, NULL);
    pthread_create(&thread[2], NULL, sell_tickets, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(tickets == 0);
    return 0;
}
