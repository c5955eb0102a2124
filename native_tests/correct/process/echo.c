// Reads all of stdin and requires that it has as many bytes as the argument says (none without one); then two threads take a
// lock.
// args: 0
// bound none: pass, traces 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    long bytes = 0, wanted = argc > 1 ? atol(argv[1]) : 0;
    while (getchar() != EOF)
        bytes++;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return bytes != wanted;
}
