// The heap grows as far in some executions as in others, less far in the rest, and shrinks: what is added is always zero.
// bound none: pass, traces 6
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 3 << 14 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *begin;

static void add(size_t bytes)
{
    char *start = sbrk((long)bytes);
    for (size_t i = 0; i < bytes; i++)
        assert(start[i] == 0);
    memset(start, 0xff, bytes);
}

static void *change(void *argument)
{
    long number = (long)argument;
    pthread_mutex_lock(&mutex);
    long has = (char *)sbrk(0) - begin;
    if (number == 2 && has >= STEP)
        assert(sbrk(-STEP / 2) != (void *)-1);
    else
        add((size_t)((number + 1) * STEP));
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    begin = sbrk(0);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, change, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    add(STEP);
    return 0;
}
