// Two threads write lines into one log that nobody reads: no order can matter, so that nothing is an operation.
// bound none: pass, traces 1
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *log_file;

static void *work(void *name)
{
    for (int i = 0; i < 3; i++)
        fprintf(log_file, "%s %d\n", (const char *)name, i);
    fflush(log_file);
    return NULL;
}

int main(void)
{
    char path[4096];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/log-%d", directory ? directory : "/tmp", (int)getpid());
    log_file = fopen(path, "w");
    unlink(path);
    pthread_t one, two;
    pthread_create(&one, NULL, work, "one");
    pthread_create(&two, NULL, work, "two");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return fclose(log_file);
}
