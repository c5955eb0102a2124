// localtime answers with memory that the next call overwrites, in whatever thread that is.
// says: is false
// bound preemption:0: pass
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static void *look(void *argument)
{
    time_t moment = (time_t)(intptr_t)argument;
    const struct tm *answer = gmtime(&moment);
    assert(answer->tm_sec == moment);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, look, (void *)1);
    pthread_create(&two, NULL, look, (void *)2);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
