// What belongs to threads starts anew as well: thread-local variables of main and of the others, errno, keys and their values.
// bound none: pass, traces 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int initialised = 3;
static _Thread_local char large[5 * 4096];
static pthread_key_t kept, fresh;
static unsigned char destroyed;

static void destroy(void *unused)
{
    (void)unused;
    __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void before_main(void)
{
    assert(pthread_key_create(&kept, destroy) == 0);
    initialised = 4;
}

static void spoil(void)
{
    initialised++;
    memset(large, 1, sizeof large);
    errno = EDOM;
    assert(pthread_getspecific(kept) == NULL && pthread_setspecific(kept, &kept) == 0);
    assert(pthread_getspecific(fresh) == NULL && pthread_setspecific(fresh, &fresh) == 0);
}

static void *work(void *unused)
{
    assert(initialised == 3 && large[4 * 4096] == 0 && errno == 0);
    spoil();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    assert(initialised == 4);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert(initialised == 4 && large[4 * 4096] == 0 && errno == 0 && destroyed == 0);
    assert(pthread_key_create(&fresh, NULL) == 0 && fresh == kept + 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    spoil();
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(destroyed == 2);
    return 0;
}
