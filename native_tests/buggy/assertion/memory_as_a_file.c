// One thread writes a variable, the other reads it out of /proc/self/mem.
// says: is false
// bound preemption:0: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static volatile int shared;
static int memory;

static void *look(void *unused)
{
    int seen = 2;
    assert(pread(memory, &seen, sizeof seen, (off_t)(uintptr_t)&shared) == sizeof seen);
    assert(seen == 0);
    return unused;
}

static void *change(void *unused)
{
    shared = 1;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    memory = open("/proc/self/mem", O_RDONLY);
    assert(memory >= 0);
    pthread_create(&one, NULL, look, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
