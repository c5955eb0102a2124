// stdio over a pipe between threads: fdopen, fprintf, fgets, fclose; what libc would read and write out of sight is under control.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    FILE *out = fdopen(ends[1], "w");
    assert(fprintf(out, "line %d\n", 1) == 7);
    assert(fflush(out) == 0);
    assert(fputs("line 2\n", out) >= 0);
    assert(fclose(out) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char line[32];
    assert(pipe(ends) == 0);
    FILE *in = fdopen(ends[0], "r");
    assert(in && fileno(in) == ends[0]);
    pthread_create(&thread, NULL, send, NULL);
    assert(fgets(line, sizeof line, in) && strcmp(line, "line 1\n") == 0);
    assert(fgets(line, sizeof line, in) && strcmp(line, "line 2\n") == 0);
    assert(fgets(line, sizeof line, in) == NULL && feof(in));
    fclose(in);
    pthread_join(thread, NULL);
    return 0;
}
