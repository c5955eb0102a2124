// A pair of datagram sockets keeps messages whole; send, recv, sendmsg, recvmsg, MSG_DONTWAIT and MSG_PEEK.
// bound none: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static int ends[2];

static void *talk(void *unused)
{
    struct iovec part[2] = {{"se", 2}, {"cond", 4}};
    struct msghdr message = {.msg_iov = part, .msg_iovlen = 2};
    assert(send(ends[1], "first", 5, 0) == 5);
    assert(sendmsg(ends[1], &message, 0) == 6);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char text[32];
    struct iovec whole = {text, sizeof text};
    struct msghdr message = {.msg_iov = &whole, .msg_iovlen = 1};
    assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
    assert(recv(ends[0], text, sizeof text, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    pthread_create(&thread, NULL, talk, NULL);
    assert(recv(ends[0], text, sizeof text, MSG_PEEK) == 5);
    assert(recv(ends[0], text, sizeof text, 0) == 5 && memcmp(text, "first", 5) == 0);
    assert(recvmsg(ends[0], &message, 0) == 6 && memcmp(text, "second", 6) == 0);
    pthread_join(thread, NULL);
    return 0;
}
