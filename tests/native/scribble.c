/* A program with a wild pointer into the memory of the search: `scribble OFFSET BYTES` writes there in every execution, and with
 * `caught` as a third argument it bears the fault that this may be. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *memory;
static unsigned long offset, bytes;
static sigjmp_buf back;

static void caught(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* Before the fork point: the largest mapping that the controller shares with us; the kernel may show it in several parts. */
__attribute__((constructor)) static void look(void)
{
    char line[512];
    unsigned long largest = 0, from, to, start = 0, end = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, "memfd:bpor-native") || sscanf(line, "%lx-%lx", &from, &to) != 2)
            continue;
        start = from == end ? start : from;
        end = to;
        if (end - start > largest) {
            largest = end - start;
            memory = (unsigned char *)start;
        }
    }
    if (maps)
        fclose(maps);
}

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    for (unsigned long i = 0; memory && i < bytes && !sigsetjmp(back, 1); i++)
        memory[offset + i] ^= 0x5a;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    offset = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    bytes = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
    if (argc > 3)
        signal(SIGSEGV, caught);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
