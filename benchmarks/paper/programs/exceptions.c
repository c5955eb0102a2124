// Message passing with errors: two clients post to a port each and, once, to the port of errors; a dispatcher takes what it finds, one port after
// the other, and yields where there is nothing, PATIENCE times at most. An error ends it. Ports have locks of their own: much is independent.
#include <pthread.h>
#include <sched.h>

enum { CLIENTS = 2, ERRORS = CLIENTS, PORTS = CLIENTS + 1, POSTS = 2, ROOM = 4, PATIENCE = 2 };

static struct port {
    pthread_mutex_t lock;
    int message[ROOM];
    int head, tail;
} ports[PORTS];

static void post(struct port *port, int message)
{
    pthread_mutex_lock(&port->lock);
    port->message[port->tail++ % ROOM] = message;
    pthread_mutex_unlock(&port->lock);
}

static int take(struct port *port)
{
    int message = 0;
    pthread_mutex_lock(&port->lock);
    if (port->head < port->tail)
        message = port->message[port->head++ % ROOM];
    pthread_mutex_unlock(&port->lock);
    return message;
}

static void *client(void *argument)
{
    long number = (long)argument;
    for (int i = 1; i <= POSTS; i++)
        post(&ports[number], i);
    post(&ports[ERRORS], 1);
    return 0;
}

static void *dispatcher(void *unused)
{
    int yields = 0;
    while (!take(&ports[ERRORS]) && yields < PATIENCE) {
        int found = 0;
        for (int i = 0; i < CLIENTS; i++)
            found += take(&ports[i]) != 0;
        if (!found) {
            sched_yield();
            yields++;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t threads[CLIENTS + 1];
    for (int i = 0; i < PORTS; i++)
        pthread_mutex_init(&ports[i].lock, 0);
    for (long i = 0; i < CLIENTS; i++)
        pthread_create(&threads[i], 0, client, (void *)i);
    pthread_create(&threads[CLIENTS], 0, dispatcher, 0);
    for (int i = 0; i <= CLIENTS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
