/* The program of benchmarks/sorting.py: one thread sorts between two locks that another one wants, too. */
#include <pthread.h>

enum { COUNT = 20000, SORTS = 10 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int meetings;
static unsigned number[COUNT];

static void sift(unsigned *heap, unsigned root, unsigned count)
{
    for (unsigned child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child] < heap[child + 1])
            child++;
        if (heap[root] >= heap[child])
            return;
        unsigned kept = heap[root];
        heap[root] = heap[child];
        heap[child] = kept;
    }
}

static void sort(unsigned *heap, unsigned count)
{
    for (unsigned root = count / 2; root-- > 0;)
        sift(heap, root, count);
    while (--count > 0) {
        unsigned kept = heap[0];
        heap[0] = heap[count];
        heap[count] = kept;
        sift(heap, 0, count);
    }
}

static void meet(void)
{
    pthread_mutex_lock(&mutex);
    meetings++;
    pthread_mutex_unlock(&mutex);
}

static void *compute(void *unused)
{
    unsigned seed = 1;
    meet();
    for (int i = 0; i < SORTS; i++) {
        for (unsigned at = 0; at < COUNT; at++)
            number[at] = seed = seed * 1664525 + 1013904223;
        sort(number, COUNT);
    }
    meet();
    return unused;
}

static void *disturb(void *unused)
{
    meet();
    meet();
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, compute, NULL);
    pthread_create(&other, NULL, disturb, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
