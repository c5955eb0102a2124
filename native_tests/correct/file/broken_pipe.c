// With SIGPIPE ignored a write that nobody can read fails with EPIPE; with a handler, the handler runs first.
// bound none: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], sockets[2];
static volatile sig_atomic_t caught;

static void count(int number)
{
    caught += number == SIGPIPE;
}

static void *hang_up(void *unused)
{
    close(ends[0]);
    close(sockets[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    signal(SIGPIPE, SIG_IGN);
    pthread_create(&thread, NULL, hang_up, NULL);
    pthread_join(thread, NULL);
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    signal(SIGPIPE, count);
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE && caught == 1);
    assert(write(sockets[1], "x", 1) == -1 && errno == EPIPE && caught == 2);
    assert(send(sockets[1], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE && caught == 2);
    return 0;
}
