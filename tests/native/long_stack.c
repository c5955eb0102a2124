/* Threads that meet at one mutex, behind a thousand steps of main alone; and PASSES times each, so that the ways are long as
 * well. Before they meet, each looks at OBJECTS variables, of which the first thread changes every one that it has looked at.
 * With `scribble` as an argument a thread writes to a page of the search's trees that it may not write to, if there is one. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 2, BEFORE = 500 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, alone = PTHREAD_MUTEX_INITIALIZER;
static atomic_int object[OBJECTS + 1];
static int scribbles;

static void write_to_the_search(void)
{
    char line[512];
    volatile unsigned char *memory = NULL;
    unsigned long from;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:bpor-native") && strstr(line, " r--s ") && sscanf(line, "%lx-", &from) == 1)
            memory = (unsigned char *)from;
    if (maps)
        fclose(maps);
    if (memory)
        memory[100] ^= 0x5a;
}

static void *work(void *argument)
{
    for (int i = 0; i < OBJECTS; i++)
        if (atomic_load(&object[i]) == 0 && argument)
            atomic_store(&object[i], 1);
    for (int i = 0; i < PASSES; i++) {
        pthread_mutex_lock(&mutex);
        if (scribbles && i == 0)
            write_to_the_search();
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    scribbles = argc > 1 && strcmp(argv[1], "scribble") == 0;
    for (int i = 0; i < OBJECTS; i++)
        (void)atomic_load(&object[i]); /* so they are the first that the search knows */
    for (int i = 0; i < BEFORE; i++) {
        pthread_mutex_lock(&alone);
        pthread_mutex_unlock(&alone);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, i ? NULL : thread);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
