// A question and an answer over a socketpair: one trace, because each waits for the other.
// needs: socketpair read write
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2];

static void *answer(void *unused)
{
    char byte;
    assert(read(ends[1], &byte, 1) == 1 && byte == '?');
    assert(write(ends[1], "!", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&thread, NULL, answer, NULL);
    assert(write(ends[0], "?", 1) == 1);
    assert(read(ends[0], &byte, 1) == 1 && byte == '!');
    pthread_join(thread, NULL);
    return 0;
}
