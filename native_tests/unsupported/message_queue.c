// A POSIX message queue is shared with other processes: refused at the call, by name.
// says: mq_
// expect: uncontrolled
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;

static void *send(void *unused)
{
    mq_send(queue, "x", 1, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char name[64], buffer[16];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = sizeof buffer};
    snprintf(name, sizeof name, "/bpor_test_%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink(name);
    pthread_create(&thread, NULL, send, NULL);
    mq_receive(queue, buffer, sizeof buffer, NULL);
    pthread_join(thread, NULL);
    return 0;
}
