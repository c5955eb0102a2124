// A thread takes for granted that another one has created a worker by now: libc writes the worker's handle, not the program.
// expect: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t worker;

static void *work(void *unused)
{
    return unused;
}

static void *hire(void *unused)
{
    pthread_create(&worker, NULL, work, NULL);
    return unused;
}

static void *look(void *unused)
{
    assert(worker != 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hire, NULL);
    pthread_create(&two, NULL, look, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(worker, NULL);
    return 0;
}
