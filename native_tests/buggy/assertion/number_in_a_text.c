// Two threads count in a text, which libc reads and writes for them.
// expect: assertion
// says: is false
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[16] = "1";

static void *count(void *unused)
{
    int number = 0;
    sscanf(text, "%d", &number);
    snprintf(text, sizeof text, "%d", number + 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    assert(strcmp(text, "3") == 0);
    return 0;
}
