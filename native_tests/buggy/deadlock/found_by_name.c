// Locks that the program finds by name in libc itself are locks like any other: a plugin host or a foreign-function interface asks so.
// expect: deadlock
// bound preemption:0: pass, traces 2
// bound none: deadlock, traces 3
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);

static void *one(void *unused)
{
    lock(&a);
    lock(&b);
    unlock(&b);
    unlock(&a);
    return unused;
}

static void *other(void *unused)
{
    lock(&b);
    lock(&a);
    unlock(&a);
    unlock(&b);
    return unused;
}

int main(void)
{
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    pthread_t first, second;
    lock = (int (*)(pthread_mutex_t *))dlsym(libc, "pthread_mutex_lock");
    unlock = (int (*)(pthread_mutex_t *))dlvsym(libc, "pthread_mutex_unlock", "GLIBC_2.2.5");
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, other, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
