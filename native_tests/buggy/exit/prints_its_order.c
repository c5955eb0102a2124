// Prints which thread came first, and fails if it was the second.
// expect: exit
// bound none: exit, traces 2
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *winner;

static void *race(void *name)
{
    pthread_mutex_lock(&mutex);
    if (winner == NULL)
        winner = name;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, race, "first");
    pthread_create(&thread[1], NULL, race, "second");
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    int in_order = strcmp(winner, "first") == 0;
    printf("%s before %s\n", winner, in_order ? "second" : "first");
    return !in_order;
}
