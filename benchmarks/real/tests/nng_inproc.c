// One message between two threads, over nng's inproc transport.
#include <assert.h>
#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>
#include <pthread.h>
#include <string.h>

static void *sender(void *unused)
{
    nng_socket socket;
    assert(nng_pair0_open(&socket) == 0);
    assert(nng_dial(socket, "inproc://test", NULL, 0) == 0);
    assert(nng_send(socket, "hi", 3, 0) == 0);
    char answer[3];
    size_t size = sizeof answer;
    assert(nng_recv(socket, answer, &size, 0) == 0);
    assert(nng_close(socket) == 0);
    return unused;
}

int main(void)
{
    nng_socket socket;
    pthread_t thread;
    assert(nng_pair0_open(&socket) == 0);
    assert(nng_listen(socket, "inproc://test", NULL, 0) == 0);
    assert(pthread_create(&thread, NULL, sender, NULL) == 0);
    char text[3];
    size_t size = sizeof text;
    assert(nng_recv(socket, text, &size, 0) == 0 && size == 3 && strcmp(text, "hi") == 0);
    assert(nng_send(socket, "ok", 3, 0) == 0);
    assert(pthread_join(thread, NULL) == 0);
    assert(nng_close(socket) == 0);
    return 0;
}
