// A thread closes a stream, which frees it, and another one still writes to it.
// bound preemption:0: memory
#include <pthread.h>
#include <stdio.h>

static FILE *stream;

static void *write_it(void *unused)
{
    fputs("line\n", stream);
    return unused;
}

static void *close_it(void *unused)
{
    fclose(stream);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    stream = fopen("/dev/null", "w");
    pthread_create(&one, NULL, write_it, NULL);
    pthread_create(&two, NULL, close_it, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
