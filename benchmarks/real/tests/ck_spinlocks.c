// Concurrency Kit: two threads add under each of its MCS and ticket locks.
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

static ck_spinlock_mcs_t mcs = CK_SPINLOCK_MCS_INITIALIZER;
static ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static int sum, other;

static void *adder(void *unused)
{
    struct ck_spinlock_mcs node;
    ck_spinlock_mcs_lock(&mcs, &node);
    sum++;
    ck_spinlock_mcs_unlock(&mcs, &node);
    ck_spinlock_ticket_lock(&ticket);
    other++;
    ck_spinlock_ticket_unlock(&ticket);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, adder, NULL) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    assert(sum == 2 && other == 2);
    return 0;
}
