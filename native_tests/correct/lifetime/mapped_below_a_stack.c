// A mapping that begins where a kernel thread's stack ends is no part of that stack: it is there when the thread has ended.
// compiler: bpor
// options: --carrier threads
// bound preemption:0: pass
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

enum { BYTES = 1 << 16 };
static sem_t mapped;

static void *work(void *unused)
{
    sem_wait(&mapped);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&mapped, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* next to the last mapping */
    sem_post(&mapped);
    pthread_join(thread, NULL);
    for (int i = 0; i < BYTES; i++)
        memory[i] = 1;
    return munmap(memory, BYTES);
}
