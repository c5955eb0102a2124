// A thread that calls no library runs to its end inside pthread_create, and hands over by ending: what main accesses next is not what
// the running thread has accessed already.
// expect: assertion
// says: is false
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>

static void *add(void *sum)
{
    int before = *(volatile int *)sum;
    *(volatile int *)sum = before + 1;
    return NULL;
}

int main(void)
{
    volatile int sum = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, add, (void *)&sum);
    sum = sum + 1;
    pthread_join(thread, NULL);
    assert(sum == 2);
    return 0;
}
