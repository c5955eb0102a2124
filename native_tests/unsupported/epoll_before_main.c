// An epoll made before main would be shared by all executions: refused when it is used, with a way out.
// says: make it in main
// expect: uncontrolled
#include <sys/epoll.h>

static int loop;

__attribute__((constructor)) static void make(void)
{
    loop = epoll_create1(0);
}

int main(void)
{
    struct epoll_event event;
    return epoll_wait(loop, &event, 1, 0) == 0 ? 0 : 1;
}
