// What a socket receives from outside cannot be repeated: refused at the call, by name.
// says: recv
// expect: uncontrolled
#include <netinet/in.h>
#include <sys/socket.h>

int main(void)
{
    char byte;
    struct sockaddr_in any = {.sin_family = AF_INET};
    int server = socket(AF_INET, SOCK_DGRAM, 0);
    if (bind(server, (struct sockaddr *)&any, sizeof any) != 0)
        return 1;
    return recv(server, &byte, 1, 0) == 1 ? 0 : 1;
}
