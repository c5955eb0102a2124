/* Two threads use one basin of a library without debug information (basin.c), which deadlocks. */
#include <pthread.h>

struct basin;
struct basin *basin_new(void);
void basin_fill(struct basin *);
void basin_drain(struct basin *);

static void *tap(void *basin)
{
    basin_fill(basin);
    return NULL;
}

static void *plug(void *basin)
{
    basin_drain(basin);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    struct basin *basin = basin_new();
    pthread_create(&one, NULL, tap, basin);
    pthread_create(&two, NULL, plug, basin);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
