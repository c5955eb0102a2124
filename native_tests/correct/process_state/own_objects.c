// Each thread has a stream, a descriptor, a state of random numbers and a tree of its own: they share nothing.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct own {
    FILE *stream;
    int file;
    unsigned seed;
    void *root;
    int key;
} own[2];

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void *work(void *argument)
{
    struct own *mine = argument;
    fputc('a', mine->stream);
    rewind(mine->stream);
    assert(fgetc(mine->stream) == 'a');
    assert(fcntl(mine->file, F_SETFL, O_APPEND) == 0 && fcntl(mine->file, F_GETFL) & O_APPEND);
    assert(rand_r(&mine->seed) >= 0);
    assert(tsearch(&mine->key, &mine->root, compare) && tfind(&mine->key, &mine->root, compare));
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        own[i].stream = tmpfile();
        own[i].file = memfd_create("own", 0);
        assert(own[i].stream && own[i].file >= 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
