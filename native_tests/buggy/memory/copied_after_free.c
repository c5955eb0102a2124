// A block is copied by memcpy while another thread may free it.
// expect: memory
// bound preemption:0: memory
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;
static volatile size_t bytes = 200;

static void *drop(void *unused)
{
    free(block);
    return unused;
}

int main(void)
{
    char copy[200];
    pthread_t thread;
    block = calloc(1, sizeof copy);
    pthread_create(&thread, NULL, drop, NULL);
    memcpy(copy, block, bytes);
    pthread_join(thread, NULL);
    return copy[5];
}
