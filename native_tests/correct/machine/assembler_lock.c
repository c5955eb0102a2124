// A lock of inline assembler around a counter, in a binary that nobody instrumented: its instructions are seen by patching them.
// machine: x86_64
// options: --machine-code=auto
// bound fair:2,preemption:2: pass
// with TORN=1, bound fair:2,preemption:2: pass
#include <pthread.h>
#include <stdlib.h>

static volatile int held;
static int counter;

static void lock(void)
{
    int mine;
    do {
        mine = 1;
        __asm__ volatile("xchgl %0, %1" : "+r"(mine), "+m"(held) : : "memory");
        if (mine)
            __asm__ volatile("pause");
    } while (mine);
}

static void unlock(void)
{
    __asm__ volatile("movl $0, %0" : "=m"(held) : : "memory");
}

static void *work(void *unused)
{
    lock();
#ifdef TORN
    int before = *(volatile int *)&counter;
    counter = before + 1;
#else
    counter++;
#endif
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
