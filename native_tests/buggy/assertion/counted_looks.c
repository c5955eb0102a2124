// A loop that looks four times, whatever it sees, waits for nobody: it is not left for free. The other thread's store falls between
// two of its looks only with one preemption.
// compiler: bpor
// with TRY=1, bound preemption:0: pass
// with TRY=1, bound preemption:1: assertion
// with TRY=0, bound preemption:0: pass
// with TRY=0, bound fair:0,preemption:1: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static int look(void)
{
#if TRY
    int wanted = 1;
    return atomic_compare_exchange_strong(&flag, &wanted, 1);
#else
    return atomic_load(&flag);
#endif
}

static void *look_four_times(void *unused)
{
    int seen = 0;
    for (int i = 0; i < 4; i++)
        seen += look();
    assert(seen == 0 || seen == 4);
    return unused;
}

static void *set(void *unused)
{
    atomic_store(&flag, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look_four_times, NULL);
    pthread_create(&thread[1], NULL, set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
