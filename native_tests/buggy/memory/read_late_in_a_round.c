// A lock that is tried again and again, with a list built and freed in each round, and read after that: freed blocks are watched
// although the blocks of a round have the names and the addresses of an earlier one.
// compiler: bpor
// expect: memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static atomic_int lock, seen;
static int count;

static struct node *list(int length)
{
    struct node *first = NULL;
    for (int i = 0; i < length; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){first, i};
        first = node;
    }
    return first;
}

static int freed(struct node *first)
{
    int sum = 0;
    while (first) {
        struct node *next = first->next;
        sum += first->value;
        free(first);
        first = next;
    }
    return sum;
}

static void *take(void *unused)
{
    for (int taken = 0; !taken;) {
        struct node *mine = list(2), *kept = mine;
        taken = !atomic_exchange(&lock, 1);
        int sum = freed(mine);
        if (!taken) { /* what was freed long ago goes back to libc, unless somebody has its address */
            for (int i = 0; i < 3 && atomic_load(&lock); i++)
                freed(list(1));
            atomic_store(&seen, kept->value);
        }
        if (taken)
            count += sum == 1;
    }
    atomic_store(&lock, 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, take, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return count != 2;
}
