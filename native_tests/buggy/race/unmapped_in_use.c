// Main unmaps memory that a worker reads, and nothing makes it wait for the worker.
// compiler: bpor
// says: unmapping
// bound preemption:0: race
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

enum { BYTES = 1 << 14 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *work(void *memory)
{
    int seen = ((char *)memory)[5000];
    pthread_mutex_lock(&mutex);
    sum += seen;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory[5000] = 1;
    pthread_create(&thread, NULL, work, memory);
    munmap(memory, BYTES);
    pthread_join(thread, NULL);
    return 0;
}
