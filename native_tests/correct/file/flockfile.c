// flockfile keeps two threads' lines whole and is recursive.
// needs: flockfile funlockfile
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static FILE *file;

static void *write_line(void *text)
{
    flockfile(file);
    flockfile(file);
    for (const char *letter = text; *letter; letter++)
        putc_unlocked(*letter, file);
    funlockfile(file);
    funlockfile(file);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    char buffer[16] = "";
    file = fmemopen(buffer, sizeof buffer, "w");
    pthread_create(&thread[0], NULL, write_line, "ab");
    pthread_create(&thread[1], NULL, write_line, "cd");
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    fclose(file);
    assert(strcmp(buffer, "abcd") == 0 || strcmp(buffer, "cdab") == 0);
    return 0;
}
