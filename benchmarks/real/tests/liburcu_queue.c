// Userspace RCU: the wait-free concurrent queue, one who appends and one who takes.
#include <assert.h>
#include <pthread.h>
#include <urcu/wfcqueue.h>

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct cds_wfcq_node nodes[2];

static void *appender(void *unused)
{
    for (int i = 0; i < 2; i++) {
        cds_wfcq_node_init(&nodes[i]);
        cds_wfcq_enqueue(&head, &tail, &nodes[i]);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    int next = 0;
    struct cds_wfcq_node *node;
    cds_wfcq_init(&head, &tail);
    assert(pthread_create(&thread, NULL, appender, NULL) == 0);
    for (int i = 0; i < 2; i++)
        if ((node = cds_wfcq_dequeue_blocking(&head, &tail)) != NULL)
            assert(node == &nodes[next++]);
    assert(pthread_join(thread, NULL) == 0);
    while ((node = cds_wfcq_dequeue_blocking(&head, &tail)) != NULL)
        assert(node == &nodes[next++]);
    assert(next == 2);
    return 0;
}
