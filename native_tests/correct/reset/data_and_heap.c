// Initialised data, zeroed data, statics of functions and blocks made before main are as they were whenever an execution begins.
// bound none: pass, traces 6
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int initialised = 7, zeroed;
static char text[3 * 4096] = "as it was";
static char *block, *gone;

static int calls_so_far(void)
{
    static int calls;
    return calls++;
}

__attribute__((constructor)) static void before_main(void)
{
    block = malloc(10000);
    strcpy(block + 5000, "before main");
    gone = malloc(100);
    free(malloc(200));
}

static void *change(void *unused)
{
    pthread_mutex_lock(&mutex);
    initialised++, zeroed++;
    calls_so_far();
    memset(text, 'x', sizeof text);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    block[5000]++;
    free(malloc(3000));
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert(initialised == 7 && zeroed == 0 && calls_so_far() == 0);
    assert(strcmp(text, "as it was") == 0 && text[2 * 4096] == 0);
    assert(strcmp(block + 5000, "before main") == 0 && gone != NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, change, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(initialised == 9 && zeroed == 2 && block[5000] == 'b' + 2);
    free(gone);
    gone = NULL;
    free(block);
    return 0;
}
