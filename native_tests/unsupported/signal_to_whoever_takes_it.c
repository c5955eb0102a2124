// A signal to the process, which its sender blocks: it would interrupt another thread anywhere. Refused at the call, by name.
// says: kill
// expect: uncontrolled
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int first, second, torn;

static void look(int number)
{
    (void)number;
    torn = first != second;
}

static void *sender(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), SIGUSR1);
    return unused;
}

static void *writer(void *unused)
{
    first = 1;
    second = 1;
    assert(!torn);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    signal(SIGUSR1, look);
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
