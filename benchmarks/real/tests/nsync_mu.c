// nsync: two threads add under a lock, a third waits for the sum with a condition.
#include <assert.h>
#include <nsync.h>
#include <pthread.h>

static nsync_mu lock = NSYNC_MU_INIT;
static nsync_cv changed = NSYNC_CV_INIT;
static int sum;

static void *adder(void *unused)
{
    nsync_mu_lock(&lock);
    sum++;
    nsync_cv_signal(&changed);
    nsync_mu_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, adder, NULL) == 0);
    nsync_mu_lock(&lock);
    while (sum != 2)
        nsync_cv_wait(&changed, &lock);
    nsync_mu_unlock(&lock);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    return 0;
}
