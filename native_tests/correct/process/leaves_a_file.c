// Leaves a file in TMPDIR behind and requires at the start that it is not there: each execution has a directory of its own.
// bound none: pass, traces 2
#include <assert.h>
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

int main(void)
{
    pthread_t thread[2];
    char name[4096];
    const char *directory = getenv("TMPDIR");
    if (directory == NULL)
        return 0;
    snprintf(name, sizeof name, "%s/leaves_a_file", directory);
    FILE *file = fopen(name, "wx");
    assert(file != NULL);
    fclose(file);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
