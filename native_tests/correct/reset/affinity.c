// A thread that binds itself to processors, as OpenMP's do: the next execution begins with as many as this one began with.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long before[128];

static void ask(unsigned long *mask, size_t bytes)
{
    assert(syscall(SYS_sched_getaffinity, 0, bytes, mask) > 0);
}

/* Which ones they are may change: the tool keeps the program where it runs itself. */
static int number_of(const unsigned long *mask)
{
    int number = 0;
    for (unsigned i = 0; i < 128; i++)
        number += __builtin_popcountl(mask[i]);
    return number;
}

__attribute__((constructor)) static void before_main(void)
{
    ask(before, sizeof before);
}

static void *bind_elsewhere(void *unused)
{
    unsigned long all[128];
    memset(all, 0xff, sizeof all);
    pthread_mutex_lock(&mutex);
    assert(syscall(SYS_sched_setaffinity, 0, sizeof all, all) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    unsigned long now[128] = {0};
    ask(now, sizeof now);
    assert(number_of(now) == number_of(before));
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, bind_elsewhere, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
