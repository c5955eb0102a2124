/* A program with a wild pointer into the checkpoints: `scribble_midway DISTANCE`, where DISTANCE is how far behind the runtime's
 * pthread_create the pointer to them lies. Each thread notes something, and then changes what checkpoints hold of such notes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 3, WAY = 4 << 20 /* bytes that come before what memory was */, LOOKED_AT = 128 << 10 };
#define NOTE 0x7e57ab1e5ca1ab1eu
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t **checkpoints;
static uint64_t note[THREADS];

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    *(uint64_t *)argument = NOTE;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    uint64_t *word = *checkpoints + WAY / sizeof *word;
    for (unsigned i = 0; *checkpoints && i < LOOKED_AT / sizeof *word; i++)
        if (word[i] == NOTE)
            word[i]++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    if (argc < 2)
        return 2;
    checkpoints = (uint64_t **)((char *)dlsym(RTLD_DEFAULT, "pthread_create") + strtol(argv[1], NULL, 0));
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, &note[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return note[0] != NOTE || note[1] != NOTE || note[2] != NOTE;
}
