// critnib: a reader beside a thread that removes and inserts.
#include <assert.h>
#include <critnib.h>
#include <pthread.h>
#include <stddef.h>

static critnib *map;
static int one, two;

static void *writer(void *unused)
{
    assert(critnib_remove(map, 1) == &one);
    assert(critnib_insert(map, 3, &two, 0) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    map = critnib_new();
    assert(critnib_insert(map, 1, &one, 0) == 0 && critnib_insert(map, 2, &two, 0) == 0);
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    void *got = critnib_get(map, 1);
    assert(got == &one || got == NULL);
    assert(critnib_find_le(map, 2) == &two);
    assert(pthread_join(thread, NULL) == 0);
    critnib_delete(map);
    return 0;
}
