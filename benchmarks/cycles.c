/* Locks and containers that wait in loops. The first argument says which, the second how many threads, a third that they yield.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, ROOM = 2 };
static bool yields;
static int count;

static void wait_a_little(void)
{
    if (yields)
        sched_yield();
}

/* ---- test and set ---- */

static atomic_int held;

static void *test_and_set(void *unused)
{
    while (atomic_exchange(&held, 1))
        wait_a_little();
    count++;
    atomic_store(&held, 0);
    return unused;
}

/* ---- ticket lock ---- */

static atomic_int next_ticket, serving;

static void *ticket(void *unused)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&serving) != mine)
        wait_a_little();
    count++;
    atomic_fetch_add(&serving, 1);
    return unused;
}

/* ---- Treiber's stack ---- */

static struct node {
    struct node *below;
} node[MOST];
static _Atomic(struct node *) top;

static void *treiber(void *number)
{
    struct node *mine = &node[(long)number], *old = atomic_load(&top);
    do
        mine->below = old;
    while (!atomic_compare_exchange_weak(&top, &old, mine));
    old = atomic_load(&top);
    while (old && !atomic_compare_exchange_weak(&top, &old, old->below))
        continue;
    assert(old);
    return NULL;
}

/* ---- a bounded queue: a producer and consumers that try again ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int filled, taken;

static bool put(void)
{
    pthread_mutex_lock(&mutex);
    bool fits = filled < ROOM;
    filled += fits;
    pthread_mutex_unlock(&mutex);
    return fits;
}

static bool get(void)
{
    pthread_mutex_lock(&mutex);
    bool any = filled > 0;
    filled -= any;
    taken += any;
    pthread_mutex_unlock(&mutex);
    return any;
}

static void *queue(void *number)
{
    bool (*act)(void) = (long)number % 2 ? get : put;
    for (int done = 0; done < 2; done++)
        while (!act())
            wait_a_little();
    return NULL;
}

/* ---- no loop ---- */

static void *locked(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static atomic_int numbered;
static int kept[MOST];

static void *distinct(void *number) /* no two ways lead to one state */
{
    int *mine = &kept[(long)number];
    *mine = atomic_fetch_add(&numbered, 1);
    *mine = *mine * 16 + atomic_fetch_add(&numbered, 1);
    *mine = *mine * 16 + atomic_fetch_add(&numbered, 1);
    return NULL;
}

static const struct {
    const char *name;
    void *(*run)(void *);
} which[] = {{"test-and-set", test_and_set}, {"ticket", ticket}, {"treiber", treiber}, {"queue", queue}, {"locked", locked},
             {"distinct", distinct}};

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    int threads = atoi(argv[2]);
    yields = argc > 3;
    for (unsigned i = 0; i < sizeof which / sizeof which[0]; i++) {
        if (strcmp(argv[1], which[i].name) != 0)
            continue;
        for (long k = 0; k < threads; k++)
            pthread_create(&thread[k], NULL, which[i].run, (void *)k);
        for (int k = 0; k < threads; k++)
            pthread_join(thread[k], NULL);
        return kept[0] < 0; /* somebody looks at it */
    }
    return 1;
}
