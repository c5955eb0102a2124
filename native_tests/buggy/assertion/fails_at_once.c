// The smallest of that kind: a worker that fails before any visible operation, inside the step that created it.
// bound none: assertion
// bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *fail(void *argument)
{
    assert(argument != NULL);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fail, NULL);
    pthread_join(thread, NULL);
    return 0;
}
