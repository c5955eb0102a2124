// Reads stdin to its end, prints 10 MB and writes and reads back a file in TMPDIR, with two threads in between: none of it
// blocks, and no execution sees another's file.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char name[4096];

static void *append(void *line)
{
    pthread_mutex_lock(&mutex);
    FILE *file = fopen(name, "a");
    assert(file != NULL);
    fputs(line, file);
    fclose(file);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void print_ten_megabytes(void)
{
    char line[1024];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 10 * 1024; i++)
        fwrite(line, 1, sizeof line, stdout);
}

int main(void)
{
    pthread_t thread[2];
    char read_back[16] = "";
    while (getchar() != EOF)
        continue;
    const char *directory = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/input_output_files", directory ? directory : "/tmp");
    FILE *file = fopen(name, directory ? "wx" : "w");
    assert(file != NULL);
    fclose(file);
    pthread_create(&thread[0], NULL, append, "one");
    pthread_create(&thread[1], NULL, append, "two");
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    print_ten_megabytes();
    file = fopen(name, "r");
    assert(fread(read_back, 1, sizeof read_back - 1, file) == 6);
    fclose(file);
    assert(strcmp(read_back, "onetwo") == 0 || strcmp(read_back, "twoone") == 0);
    assert(remove(name) == 0);
    return 0;
}
