// dprintf into a pipe is a write like any other, although the C library writes by itself.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(dprintf(ends[1], "number %d", 7) == 8);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[16] = "";
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, send, NULL);
    assert(read(ends[0], text, sizeof text) == 8 && strcmp(text, "number 7") == 0);
    pthread_join(thread, NULL);
    return 0;
}
