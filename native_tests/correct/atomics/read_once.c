// READ_ONCE and WRITE_ONCE, by volatile: operations like atomic ones, so store buffering has its three orders. They race,
// which is meant here.
// compiler: bpor
// options: --races=explore
// bound preemption:0: pass, traces 2
// bound preemption:1..3: pass, traces 3
// bound none: pass, traces 3
#include <pthread.h>
#include <stddef.h>

#define READ_ONCE(place) (*(volatile int *)&(place))
#define WRITE_ONCE(place, value) (*(volatile int *)&(place) = (value))

static int x, y, seen[2];

static void *first(void *unused)
{
    WRITE_ONCE(x, 1);
    seen[0] = READ_ONCE(y);
    return unused;
}

static void *second(void *unused)
{
    WRITE_ONCE(y, 1);
    seen[1] = READ_ONCE(x);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return seen[0] + seen[1] == 0;
}
