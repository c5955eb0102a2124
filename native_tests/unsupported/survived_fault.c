// A volatile access of a bad address, whose signal the program survives by siglongjmp: the operation was never finished.
// compiler: bpor
// says: SIGSEGV inside an operation
// expect: uncontrolled
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local sigjmp_buf back;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void escape(int number)
{
    siglongjmp(back, number);
}

static void *work(void *unused)
{
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)16 = 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t two[2];
    signal(SIGSEGV, escape);
    for (int i = 0; i < 2; i++)
        pthread_create(&two[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(two[i], NULL);
    return 0;
}
