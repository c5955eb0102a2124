// A connection comes from outside the program and cannot be repeated: refused at the call, by name and with a way out.
// says: socketpair
// expect: uncontrolled
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int main(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(server, (struct sockaddr *)&any, sizeof any) != 0 || listen(server, 1) != 0)
        return 1;
    return accept(server, NULL, NULL) >= 0 ? 0 : 1;
}
