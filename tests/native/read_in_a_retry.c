/* A thread reads a cell plainly before it finds that the cell is no longer the top; another one writes that cell once it has
 * seen, in an order that may synchronise nothing, that the first is done with the other cell. Only a look in vain races. */
#include <pthread.h>
#include <stdatomic.h>

struct cell {
    int content;
};
static struct cell cells[2] = {{0}, {1}};
static _Atomic(struct cell *) top = &cells[0];
static atomic_int done;

static void *takes(void *unused)
{
    struct cell *old = atomic_load(&top);
    int content;
    do
        content = old->content;
    while (!atomic_compare_exchange_strong(&top, &old, old));
    atomic_store_explicit(&done, content + 1, ORDER);
    return unused;
}

static void *changes(void *unused)
{
    atomic_store(&top, &cells[1]);
    if (atomic_load_explicit(&done, ORDER) == 2)
        cells[0].content = 5;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, changes, NULL);
    pthread_create(&thread[1], NULL, takes, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
