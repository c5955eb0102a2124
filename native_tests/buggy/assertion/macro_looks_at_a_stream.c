// A macro of stdio.h looks at a stream that another thread reads to its end: moves of the program, and no call.
// bound preemption:0: assertion
// flags: -O2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *looks(void *unused)
{
    assert(!feof_unlocked(stream));
    return unused;
}

static void *reads(void *unused)
{
    fgetc(stream);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    stream = tmpfile();
    pthread_create(&one, NULL, looks, NULL);
    pthread_create(&two, NULL, reads, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
