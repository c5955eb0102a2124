// A joiner gets what the start routine returned or what pthread_exit was given; a null destination is allowed; the argument
// arrives.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *return_double(void *argument)
{
    return (void *)(2 * (intptr_t)argument);
}

static void *exit_with_triple(void *argument)
{
    pthread_exit((void *)(3 * (intptr_t)argument));
}

int main(void)
{
    pthread_t thread[3];
    void *value;
    assert(pthread_create(&thread[0], NULL, return_double, (void *)21) == 0);
    assert(pthread_create(&thread[1], NULL, exit_with_triple, (void *)5) == 0);
    assert(pthread_create(&thread[2], NULL, return_double, NULL) == 0);
    assert(pthread_join(thread[2], NULL) == 0);
    assert(pthread_join(thread[1], &value) == 0 && value == (void *)15);
    assert(pthread_join(thread[0], &value) == 0 && value == (void *)42);
    return 0;
}
