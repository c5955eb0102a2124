/* A program with a wild pointer into the memory of the search: `scribble OFFSET BYTES` writes there in every execution. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *memory;
static unsigned long offset, bytes;

/* Before the fork point: the largest mapping that the controller shares with us. */
__attribute__((constructor)) static void look(void)
{
    char line[512];
    unsigned long largest = 0, from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:bpor-native") && sscanf(line, "%lx-%lx", &from, &to) == 2 && to - from > largest) {
            largest = to - from;
            memory = (unsigned char *)from;
        }
    if (maps)
        fclose(maps);
}

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    for (unsigned long i = 0; memory && i < bytes; i++)
        memory[offset + i] ^= 0x5a;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    offset = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    bytes = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
