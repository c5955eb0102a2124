/* Runs the threads that its arguments describe: "p0 g1 l0 u0" = put a byte into channel 0, get one from channel 1, lock and
 * unlock mutex 0. The first argument says what the channels are: pipe, eventfd or sockets. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHANNELS = 2, THREADS = 8 };

static pthread_mutex_t mutex[CHANNELS];
static int ends[CHANNELS][2];
static size_t unit = 1;

static void make(const char *kind)
{
    for (int i = 0; i < CHANNELS; i++) {
        pthread_mutex_init(&mutex[i], NULL);
        if (strcmp(kind, "pipe") == 0 && pipe(ends[i]) == 0)
            continue;
        if (strcmp(kind, "sockets") == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) == 0)
            continue;
        if (strcmp(kind, "eventfd") != 0)
            exit(99);
        ends[i][0] = ends[i][1] = eventfd(0, EFD_SEMAPHORE);
        unit = sizeof(uint64_t);
    }
}

static void *run(void *script)
{
    uint64_t one = 1;
    for (const char *at = script; at[0] && at[1]; at += at[2] ? 3 : 2) {
        int which = at[1] - '0';
        long moved = (long)unit;
        if (at[0] == 'p')
            moved = write(ends[which][1], &one, unit);
        else if (at[0] == 'g')
            moved = read(ends[which][0], &one, unit);
        else if (at[0] == 'l')
            pthread_mutex_lock(&mutex[which]);
        else
            pthread_mutex_unlock(&mutex[which]);
        if (moved != (long)unit)
            exit(99);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    make(argv[1]);
    for (int i = 2; i < argc; i++)
        pthread_create(&thread[i - 2], NULL, run, argv[i]);
    for (int i = 2; i < argc; i++)
        pthread_join(thread[i - 2], NULL);
    return 0;
}
