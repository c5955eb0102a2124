// Writes to, reads from, cuts, moves through and closes every descriptor that it may have: none of them is ours.
// with WAY=0, bound none: pass
// with WAY=1, bound none: pass
// with WAY=2, bound none: pass
// with WAY=3, bound none: pass
// with WAY=4, bound none: pass
// with WAY=5, bound none: pass
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WAY
#define WAY 0
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static long use(int fd)
{
    switch (WAY) {
    case 0:
        return write(fd, text, sizeof text);
    case 1:
        return syscall(SYS_write, fd, text, sizeof text);
    case 2:
        return lseek(fd, 0, SEEK_SET);
    case 3:
        return ftruncate(fd, 0);
    case 4:
        return dup2(0, fd);
    default:
        return close(fd);
    }
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    long used = 0;
    for (int fd = 3; fd < 1024; fd++)
        used += use(fd);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return used == 12345;
}
