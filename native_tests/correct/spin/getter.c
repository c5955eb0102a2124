// A getter called four times in straight-line code is no loop: nothing is taken for a yield, so the fair bound refuses nothing.
// compiler: bpor
// bound fair:0: pass, traces 5
// bound none: pass, traces 5
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

__attribute__((noinline)) static int get(void)
{
    return atomic_load(&value);
}

static void *look_four_times(void *unused)
{
    int sum = get();
    sum += get();
    sum += get();
    sum += get();
    return sum > 8 ? NULL : unused;
}

static void *change(void *unused)
{
    atomic_store(&value, 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, look_four_times, NULL);
    pthread_create(&thread[1], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
