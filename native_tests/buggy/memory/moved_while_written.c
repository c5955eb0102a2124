// A block grows, and moves, while another thread writes into it by the old address: the value is lost. In a plain program the copy that
// realloc makes has to be seen.
// expect: memory
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *writes(void *unused)
{
    block[0] = 2;
    return unused;
}

static void *grows(void *unused)
{
    block = realloc(block, 100000);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    block = malloc(8);
    block[0] = 1;
    char *behind = malloc(64);
    pthread_create(&one, NULL, writes, NULL);
    pthread_create(&two, NULL, grows, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(block[0] == 2);
    free(behind);
    return 0;
}
