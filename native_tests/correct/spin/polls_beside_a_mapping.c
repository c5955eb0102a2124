// A thread polls a flag under a mutex and never yields. It has mapped a file before, so that the states of the program cannot be compared:
// what its last steps look like tells where a yield could be.
// says: goes round without yielding, and is taken to wait
// bound fair:2,preemption:1..2: pass
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int now = flag;
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
