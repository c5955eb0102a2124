// One thread writes by macros while it holds the stream, another one by a call, which makes the buffer if it comes first: that is no race.
// bound none: pass, traces 2
// flags: -O2
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *holds(void *unused)
{
    flockfile(stream);
    putc_unlocked('a', stream);
    putc_unlocked('b', stream);
    funlockfile(stream);
    return unused;
}

static void *prints(void *unused)
{
    fprintf(stream, "cd");
    return unused;
}

int main(void)
{
    pthread_t one, two;
    stream = tmpfile();
    pthread_create(&one, NULL, holds, NULL);
    pthread_create(&two, NULL, prints, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return ferror(stream);
}
