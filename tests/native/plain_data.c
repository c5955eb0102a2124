/* Plain data behind a lock or a flag made of atomics: plain_data ALGORITHM STORE LOAD FENCES, orders of what it hands over by and
 * of what it looks at, and whether there are seq_cst fences. Each of two threads tries once. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int data;
static atomic_int flag[2], turn, ready, taken, next, serving;
static struct node {
    _Atomic(struct node *) next;
    atomic_int waits;
} node[2];
static _Atomic(struct node *) tail;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *algorithm;
static memory_order store, load;
static int fences;

static void fence(void)
{
    if (fences)
        atomic_thread_fence(memory_order_seq_cst);
}

static void pass_on(int me)
{
    if (me == 0) {
        data = 1;
        atomic_store_explicit(&ready, 1, store);
    } else if (atomic_load_explicit(&ready, load)) {
        data++;
    }
}

static void peterson(int me)
{
    atomic_store_explicit(&flag[me], 1, store);
    atomic_store_explicit(&turn, 1 - me, store);
    fence();
    if (atomic_load_explicit(&flag[1 - me], load) && atomic_load_explicit(&turn, load) == 1 - me)
        return;
    data++;
    atomic_store_explicit(&flag[me], 0, store);
}

static void dekker(int me)
{
    atomic_store_explicit(&flag[me], 1, store);
    fence();
    if (atomic_load_explicit(&flag[1 - me], load))
        return;
    data++;
    atomic_store_explicit(&flag[me], 0, store);
}

static void double_checked(void)
{
    if (!atomic_load_explicit(&ready, load)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&ready, memory_order_relaxed)) {
            data = 42;
            atomic_store_explicit(&ready, 1, store);
        }
        pthread_mutex_unlock(&mutex);
    }
    (void)*(volatile int *)&data;
}

static void spin(void)
{
    if (atomic_exchange_explicit(&taken, 1, load))
        return;
    data++;
    atomic_store_explicit(&taken, 0, store);
}

static void ticket(void)
{
    int mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    if (atomic_load_explicit(&serving, load) != mine)
        return;
    data++;
    atomic_store_explicit(&serving, mine + 1, store);
}

static void mcs(int me)
{
    atomic_store_explicit(&node[me].waits, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, &node[me], memory_order_acq_rel);
    if (before) {
        atomic_store_explicit(&before->next, &node[me], memory_order_release);
        if (atomic_load_explicit(&node[me].waits, load))
            return;
    }
    data++;
    struct node *after = atomic_load_explicit(&node[me].next, memory_order_acquire);
    if (after)
        atomic_store_explicit(&after->waits, 0, store);
}

static void *run(void *argument)
{
    int me = (int)(long)argument;
    switch (algorithm[0]) {
    case 'f':
        pass_on(me);
        break;
    case 'p':
        peterson(me);
        break;
    case 'd':
        dekker(me);
        break;
    case 'c':
        double_checked();
        break;
    case 's':
        spin();
        break;
    case 't':
        ticket();
        break;
    default:
        mcs(me);
    }
    return NULL;
}

static memory_order order_named(const char *name)
{
    return !strcmp(name, "rlx")   ? memory_order_relaxed
           : !strcmp(name, "acq") ? memory_order_acquire
           : !strcmp(name, "rel") ? memory_order_release
                                  : memory_order_seq_cst;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    if (argc < 4)
        return 2;
    algorithm = argv[1];
    store = order_named(argv[2]);
    load = order_named(argv[3]);
    fences = argc > 4;
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
