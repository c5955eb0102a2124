/* A program on top of trusted_library.c: the first argument says what its threads do. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

int library_get(void);
void library_set(int), library_add(void), library_wait(void), library_ready(void), library_spin(void), library_open(void);
void library_call(void (*)(void)), library_leave(void), library_with(pthread_mutex_t *);
pthread_mutex_t *library_lock(void);
extern jmp_buf library_left;

static const char *what;
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static int count;

static int is(const char *name)
{
    return strcmp(what, name) == 0;
}

static int locked_count(int change)
{
    pthread_mutex_lock(&own);
    int now = count += change;
    pthread_mutex_unlock(&own);
    return now;
}

static void lose_a_count(void)
{
    int before = locked_count(0);
    pthread_mutex_lock(&own);
    count = before + 1;
    pthread_mutex_unlock(&own);
}

static void nothing(void)
{
}

static void look_again(void)
{
    library_call(nothing);
}

static void *work(void *second)
{
    if (is("adds inside"))
        library_add();
    if (is("adds above"))
        library_set(library_get() + 1);
    if (is("looks twice"))
        library_get(), library_get();
    if (is("waits"))
        second ? library_ready() : library_wait();
    if (is("waits for ever"))
        library_wait();
    if (is("spins"))
        second ? library_open() : library_spin();
    if (is("calls back"))
        library_call(lose_a_count);
    if (is("calls back and in"))
        library_call(look_again);
    if (is("jumps out")) {
        if (second)
            library_get();
        else if (setjmp(library_left) == 0)
            library_leave();
        else
            library_get();
    }
    if (is("lends its lock"))
        locked_count(1), second ? (void)0 : library_with(&own);
    if (is("takes its lock"))
        library_with(library_lock()), pthread_mutex_trylock(library_lock());
    return NULL;
}

int main(int arguments, char **argument)
{
    pthread_t one, two;
    assert(arguments == 2);
    what = argument[1];
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, &two);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    if (is("adds inside") || is("adds above"))
        assert(library_get() == 2);
    if (is("calls back"))
        assert(count == 2);
    return 0;
}
