// System V message queues block in the kernel: refused at the call, by name. The queue is private and removed at once.
// says: msgrcv
// expect: uncontrolled
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/msg.h>

int main(void)
{
    struct {
        long type;
        char text[8];
    } message;
    int queue = msgget(IPC_PRIVATE, 0600);
    msgctl(queue, IPC_RMID, NULL);
    return msgrcv(queue, &message, sizeof message.text, 0, 0) >= 0 ? 0 : 1;
}
