// Main unmaps the memory of a lock before the worker, which it does not wait for, has taken it: tried before and after every use.
// says: use of unmapped memory
// bound preemption:0: memory
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

struct shared {
    pthread_mutex_t mutex;
    int count;
};

static void *work(void *argument)
{
    struct shared *shared = argument;
    pthread_mutex_lock(&shared->mutex);
    shared->count++;
    pthread_mutex_unlock(&shared->mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_mutex_init(&shared->mutex, NULL);
    pthread_create(&thread, NULL, work, shared);
    pthread_mutex_lock(&shared->mutex);
    int done = shared->count;
    pthread_mutex_unlock(&shared->mutex);
    if (!done)
        munmap(shared, sizeof *shared);
    pthread_join(thread, NULL);
    return 0;
}
