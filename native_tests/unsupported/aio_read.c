// Asynchronous input works beside the threads: refused at the call, by name.
// says: aio_read
// expect: uncontrolled
#include <aio.h>
#include <fcntl.h>

int main(void)
{
    char byte;
    struct aiocb block = {.aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = &byte, .aio_nbytes = 1};
    return aio_read(&block) == 0 ? 0 : 1;
}
