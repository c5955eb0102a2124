// Whether a pipe blocks is asked by one thread and changed by another.
// says: is false
// bound preemption:0: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *look(void *unused)
{
    assert((fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0);
    return unused;
}

static void *change(void *unused)
{
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
