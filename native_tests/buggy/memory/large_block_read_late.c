// A block of many pages is freed under a lock, and a late reader looks at a place in it that nobody has used before.
// compiler: bpor
// says: use after free
// bound preemption:0: memory
#include <pthread.h>
#include <stdlib.h>

enum { BYTES = 1 << 20 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *block;
static volatile char found;

static void *reader(void *unused)
{
    char *mine;
    pthread_mutex_lock(&mutex);
    mine = block;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    found = mine[BYTES / 2];
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    block = malloc(BYTES);
    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&mutex);
    block[0] = 1;
    free(block);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
