// The kernel itself writes into pages that nobody else touches: what it wrote is gone when the next execution begins.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PAGE = 4096, CALLS = 5 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(PAGE) char page[2][CALLS][PAGE], initialised[PAGE] = "/initialised";

static void *call(void *own)
{
    char(*mine)[PAGE] = own;
    pthread_mutex_lock(&mutex);
    assert(syscall(SYS_getcwd, mine[0], PAGE) > 0);
    assert(stat("/", (struct stat *)mine[1]) == 0);
    assert(uname((struct utsname *)mine[2]) == 0);
    assert(sysinfo((struct sysinfo *)mine[3]) == 0);
    assert(getrusage(RUSAGE_SELF, (struct rusage *)mine[4]) == 0);
    assert(syscall(SYS_getcwd, initialised, PAGE) > 0);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < CALLS; j++)
            for (int at = 0; at < PAGE; at++)
                assert(page[i][j][at] == 0);
    assert(initialised[0] == '/' && initialised[1] == 'i' && initialised[11] == 'd' && initialised[12] == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, call, page[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(page[0][0][0] == '/' && page[1][2][0] != 0);
    return 0;
}
