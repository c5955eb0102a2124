// A thread has the processor check the alignment of every access, and calls into the library: our own code there does not bear it.
// machine: x86_64
// expect: uncontrolled
// says: alignment checks
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void flip_alignment_checks(void)
{
    __asm__ volatile("pushfq\n    xorl $0x40000, (%%rsp)\n    popfq" : : : "memory", "cc");
}

static void *work(void *unused)
{
    flip_alignment_checks();
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    flip_alignment_checks();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
