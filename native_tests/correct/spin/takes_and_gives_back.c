// A thread polls a flag and never yields; it looks while it holds a block that it has locked by its size. What gives the block back is a
// store, which machine code performs behind its step: each round changes nothing. It has mapped a file before, so that no states show that.
// bound fair:2,preemption:0..2: pass
// bound fair:2: pass
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_int size = 8; /* negative: locked */
static atomic_int flag;

static int get(void)
{
    int free = atomic_load(&size), now = 0;
    if (free < 0 || !atomic_compare_exchange_strong(&size, &free, -1))
        return 0;
    now = atomic_load(&flag);
    atomic_store_explicit(&size, free, memory_order_release);
    return now;
}

static void *poll(void *unused)
{
    int file = open("/proc/self/exe", O_RDONLY);
    void *seen = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    while (!get())
        ;
    munmap(seen, 4096);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll, NULL);
    atomic_store(&flag, 1);
    get();
    pthread_join(thread, NULL);
    return 0;
}
