// The counter is changed before the lock of inline assembler is taken. An instruction that reads and writes is not atomic without a
// lock prefix: another processor may come in between.
// machine: x86_64
// options: --machine-code=auto
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1: exit
#include <pthread.h>

static volatile int held;
static int counter;

static void lock(void)
{
    int mine;
    do {
        mine = 1;
        __asm__ volatile("xchgl %0, %1" : "+r"(mine), "+m"(held) : : "memory");
    } while (mine);
}

static void unlock(void)
{
    __asm__ volatile("movl $0, %0" : "=m"(held) : : "memory");
}

static void *work(void *unused)
{
    __asm__ volatile("incl %0" : "+m"(counter));
    lock();
    unlock();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter == 2 ? 0 : 1;
}
