/* The programs of benchmarks/growth.py: growth NAME SIZE. Each has 120 schedules, whatever its size: main and four threads pass
 * one mutex.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, MOST = 4096, PASSES = 10, MEETING = 4 };
static pthread_mutex_t meeting = PTHREAD_MUTEX_INITIALIZER, own[MOST];
static char area[MOST][PAGE];
static long size;

static void pass(pthread_mutex_t *through)
{
    pthread_mutex_lock(through);
    pthread_mutex_unlock(through);
}

static void *pass_own(void *mutex)
{
    for (int i = 0; i < PASSES; i++)
        pass(mutex);
    return NULL;
}

/* volatile: the compiler would leave out writes that nobody looks at. */
static void write_pages(volatile char *first)
{
    for (long i = 0; i < size; i++)
        first[i * PAGE] = 1;
}

/* SIZE threads, each of which passes a mutex of its own ten times. */
static void threads(void)
{
    pthread_t *thread = malloc(size * sizeof *thread);
    for (long i = 0; i < size; i++)
        pthread_create(&thread[i], NULL, pass_own, &own[i]);
    for (long i = 0; i < size; i++)
        pthread_join(thread[i], NULL);
    free(thread);
}

/* SIZE passes through SIZE mutexes, and through one. */
static void objects(void)
{
    for (long i = 0; i < size; i++)
        pass(&own[i]);
}

static void one_object(void)
{
    for (long i = 0; i < size; i++)
        pass(&own[0]);
}

/* SIZE pages written: of a static array, and of a block that is allocated and freed. */
static void pages(void)
{
    write_pages(area[0]);
}

static void allocated(void)
{
    char *block = malloc(size * PAGE);
    write_pages(block);
    free(block);
}

static const struct {
    const char *name;
    void (*run)(void);
} which[] = {{"threads", threads}, {"objects", objects}, {"one-object", one_object}, {"pages", pages}, {"allocated", allocated}};

static void *meet(void *unused)
{
    pass(&meeting);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t other[MEETING];
    size = argc > 2 ? atol(argv[2]) : 0;
    if (size < 1 || size > MOST)
        return 2;
    for (int i = 0; i < MEETING; i++)
        pthread_create(&other[i], NULL, meet, NULL);
    pass(&meeting);
    for (int i = 0; i < MEETING; i++)
        pthread_join(other[i], NULL);
    for (unsigned i = 0; i < sizeof which / sizeof which[0]; i++)
        if (strcmp(argv[1], which[i].name) == 0)
            which[i].run();
    return 0;
}
