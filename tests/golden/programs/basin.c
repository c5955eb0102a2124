/* A library that is built without debug information and stripped: two locks of which its users know only the functions that take
 * them. */
#include <pthread.h>
#include <stdlib.h>

struct basin {
    long level;
    pthread_mutex_t inlet, outlet;
};

static struct basin *basins; /* what is given out lies inside: no pointer of a user's is where memory begins */

struct basin *basin_new(void)
{
    basins = calloc(2, sizeof(struct basin));
    pthread_mutex_init(&basins[1].inlet, NULL);
    pthread_mutex_init(&basins[1].outlet, NULL);
    return &basins[1];
}

void basin_fill(struct basin *basin)
{
    pthread_mutex_lock(&basin->inlet);
    pthread_mutex_lock(&basin->outlet);
    basin->level++;
    pthread_mutex_unlock(&basin->outlet);
    pthread_mutex_unlock(&basin->inlet);
}

void basin_drain(struct basin *basin)
{
    pthread_mutex_lock(&basin->outlet);
    pthread_mutex_lock(&basin->inlet);
    basin->level--;
    pthread_mutex_unlock(&basin->inlet);
    pthread_mutex_unlock(&basin->outlet);
}
