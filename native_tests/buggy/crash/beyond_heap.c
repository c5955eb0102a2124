// What another execution added to the heap is not there for one that reads beyond its own heap's end: it crashes as a new process does.
// expect: crash
// says: SIGSEGV
// bound none: crash, traces 2
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { ADDED = 1 << 20 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *end;
static volatile char found;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    memset(sbrk(ADDED), 1, ADDED);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&mutex);
    found = end[ADDED / 2]; /* before there is anything */
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    end = sbrk(0);
    pthread_create(&thread[0], NULL, add, NULL);
    pthread_create(&thread[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
