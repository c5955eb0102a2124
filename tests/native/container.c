/* A map with a lock of its own, whose entries are marked. Every argument is a thread: g3 gets the entry 3, p3 puts one more than
 * the last number that it got there, s counts what is there, c clears all. What threads got and what is left is printed. */
#include "../../bpor/include/bpor.h"
#include <pthread.h>
#include <stdio.h>

enum { ROOM = 4, MOST = 8 };
static struct map {
    pthread_mutex_t lock;
    int value[ROOM];
} map = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct worker {
    pthread_t thread;
    const char *script;
    int got[MOST];
    int count;
} worker[MOST];

__attribute__((noinline)) static int map_get(struct map *self, unsigned key)
{
    bpor_entry_read(self, key);
    pthread_mutex_lock(&self->lock);
    int value = self->value[key];
    pthread_mutex_unlock(&self->lock);
    return value;
}

__attribute__((noinline)) static void map_put(struct map *self, unsigned key, int value)
{
    bpor_entry_write(self, key);
    pthread_mutex_lock(&self->lock);
    self->value[key] = value;
    pthread_mutex_unlock(&self->lock);
}

__attribute__((noinline)) static int map_size(struct map *self)
{
    int size = 0;
    bpor_container_read(self);
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < ROOM; i++)
        size += self->value[i] != 0;
    pthread_mutex_unlock(&self->lock);
    return size;
}

__attribute__((noinline)) static void map_clear(struct map *self)
{
    bpor_container_write(self);
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < ROOM; i++)
        self->value[i] = 0;
    pthread_mutex_unlock(&self->lock);
}

static void *work(void *argument)
{
    struct worker *self = argument;
    int last = 0;
    for (const char *at = self->script; *at; at++)
        switch (*at) {
        case 'g':
            self->got[self->count++] = last = map_get(&map, (unsigned)(*++at - '0'));
            break;
        case 'p':
            map_put(&map, (unsigned)(*++at - '0'), last + 1);
            break;
        case 's':
            self->got[self->count++] = map_size(&map);
            break;
        default:
            map_clear(&map);
        }
    return NULL;
}

int main(int count, char **script)
{
    for (int i = 1; i < count; i++) {
        worker[i].script = script[i];
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
    }
    for (int i = 1; i < count; i++) {
        pthread_join(worker[i].thread, NULL);
        for (int k = 0; k < worker[i].count; k++)
            printf("%d", worker[i].got[k]);
        printf(i + 1 < count ? " " : ":");
    }
    for (int i = 0; i < ROOM; i++)
        printf(" %d", map.value[i]);
    printf("\n");
    return 0;
}
