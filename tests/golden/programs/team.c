/* Variables of main that other threads are handed: by a pointer, and by gcc's OpenMP in a record of its own. The words choose
 * one. */
#include <pthread.h>

struct lobby {
    int visitors;
    _Bool open;
};

static void *close_it(void *argument)
{
    struct lobby *lobby = argument;
    lobby->open = 0;
    return NULL;
}

static int enter(struct lobby *lobby)
{
    return lobby->open ? lobby->visitors++ : 0;
}

static int visit(void)
{
    struct lobby lobby = {.open = 1};
    pthread_t closes;
    pthread_create(&closes, NULL, close_it, &lobby);
    enter(&lobby);
    pthread_join(closes, NULL);
    return lobby.visitors > 1;
}

static int count(void)
{
    int total = 0;
#pragma omp parallel num_threads(2)
    total++;
    return total > 2;
}

static int fill(int length)
{
    int before[length], cells[length + 2];
    before[0] = cells[0] = 1;
#pragma omp parallel num_threads(2)
    cells[length] = before[0];
    return cells[0] - before[0];
}

int main(int words, char **word)
{
    return words == 1 ? visit() : *word[1] == 't' ? count() : fill(words);
}
