// Pages that nobody had touched when the first execution began are untouched again when the next one does, which touches others: of
// zeroed data, of the program's file, of the heap, of stacks.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, QUARTER = 16, PAGES = 4 * QUARTER };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char zeroed[PAGES * PAGE];
static char from_file[PAGES * PAGE] = {[PAGE * PAGES / 2] = 'f'};
static int turn;

static void *touch(void *number)
{
    volatile char deep[PAGES * PAGE];
    pthread_mutex_lock(&mutex);
    int quarter = 2 * turn++ + *(const int *)number;
    for (int page = quarter * QUARTER; page < (quarter + 1) * QUARTER; page++) {
        zeroed[page * PAGE]++;
        from_file[page * PAGE]++;
        deep[page * PAGE] = 1;
        assert(deep[page * PAGE] == 1);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    static const int number[2] = {0, 1};
    pthread_t thread[2];
    for (int page = 0; page < PAGES; page++) {
        assert(zeroed[page * PAGE] == 0);
        assert(from_file[page * PAGE] == (page == PAGES / 2 ? 'f' : 0));
    }
    char *heap = malloc(sizeof zeroed);
    memset(heap, 1, sizeof zeroed);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, touch, (void *)&number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    free(heap);
    return 0;
}
