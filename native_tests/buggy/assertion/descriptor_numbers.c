// Who opens first gets the lower number. Programs rarely care, so that it is explored only if asked for; else the verdict says what it takes
// for granted (native_tests/correct/process_state/descriptor_numbers.c).
// options: --process-state numbers
// bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int one, two;

static void *first(void *unused)
{
    one = dup(0);
    return unused;
}

static void *second(void *unused)
{
    two = dup(0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(one < two);
    return 0;
}
