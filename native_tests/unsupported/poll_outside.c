// Waiting for a socket from outside is refused at the call, by name.
// says: poll
// expect: uncontrolled
#include <poll.h>
#include <sys/socket.h>

int main(void)
{
    struct pollfd one = {.fd = socket(AF_INET, SOCK_DGRAM, 0), .events = POLLIN};
    return poll(&one, 1, -1) == 1 ? 0 : 1;
}
