// One message between two threads, over ZeroMQ's inproc transport.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <zmq.h>

static void *sender(void *context)
{
    void *socket = zmq_socket(context, ZMQ_PAIR);
    assert(zmq_connect(socket, "inproc://test") == 0);
    assert(zmq_send(socket, "hi", 3, 0) == 3);
    assert(zmq_close(socket) == 0);
    return NULL;
}

int main(void)
{
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    pthread_t thread;
    char text[3];
    assert(zmq_bind(socket, "inproc://test") == 0);
    assert(pthread_create(&thread, NULL, sender, context) == 0);
    assert(zmq_recv(socket, text, sizeof text, 0) == 3 && strcmp(text, "hi") == 0);
    assert(pthread_join(thread, NULL) == 0);
    assert(zmq_close(socket) == 0);
    assert(zmq_ctx_term(context) == 0);
    return 0;
}
