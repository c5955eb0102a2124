// Chase and Lev's deque: the owner pushes and takes at the bottom, a thief steals at the top; nothing is lost or given out twice.
// compiler: bpor
// bound preemption:0..3: pass
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4, ITEMS = 2, NOTHING = -1 };
static atomic_int top, bottom, item[SIZE];
static int given[2][ITEMS + 1]; /* by thread: one reads the other's after the join */

static void push(int value)
{
    int b = atomic_load(&bottom);
    atomic_store(&item[b % SIZE], value);
    atomic_store(&bottom, b + 1);
}

static int take(void)
{
    int b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    int t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return NOTHING;
    }
    int value = atomic_load(&item[b % SIZE]);
    if (t == b) {
        /* the last one: a thief may be after it too */
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            value = NOTHING;
        atomic_store(&bottom, b + 1);
    }
    return value;
}

static int steal(void)
{
    int t = atomic_load(&top);
    if (t >= atomic_load(&bottom))
        return NOTHING;
    int value = atomic_load(&item[t % SIZE]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? value : NOTHING;
}

static void *own(void *unused)
{
    int value;
    for (int i = 1; i <= ITEMS; i++)
        push(i);
    while ((value = take()) != NOTHING)
        given[0][value]++;
    return unused;
}

static void *thieve(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        int value = steal();
        if (value != NOTHING)
            given[1][value]++;
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, own, NULL);
    pthread_create(&thread[1], NULL, thieve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 1; i <= ITEMS; i++)
        assert(given[0][i] + given[1][i] == 1);
    return 0;
}
