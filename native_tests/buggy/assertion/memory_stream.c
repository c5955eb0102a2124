// Two threads write into a stream in memory, and whoever has the memory sees in which order.
// says: is false
// bound none: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *stream;

static void *put(void *letter)
{
    fputc(*(char *)letter, stream);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    char *text, a = 'a', b = 'b';
    size_t length;
    stream = open_memstream(&text, &length);
    pthread_create(&one, NULL, put, &a);
    pthread_create(&two, NULL, put, &b);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    fclose(stream);
    assert(text[0] == 'a');
    free(text);
    return 0;
}
