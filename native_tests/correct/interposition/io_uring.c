// A ring of io_uring would work beside the threads: there is none, as in a kernel without it, by libc's syscall() and by a bare instruction.
// Where there is one, as without the tool, a second thread writes: two traces.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

static int has_ring(void)
{
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    if (syscall(SYS_io_uring_setup, 4, parameters) >= 0 || errno != ENOSYS)
        return 1;
    long answer = SYS_io_uring_setup;
    __asm__ volatile("syscall" : "+a"(answer) : "D"(4L), "S"(parameters) : "rcx", "r11", "memory");
    return answer != -ENOSYS;
}

int main(void)
{
    char got;
    pthread_t threads[2];
    int writers = 1 + has_ring();
    assert(pipe(ends) == 0);
    for (int i = 0; i < writers; i++)
        assert(pthread_create(&threads[i], NULL, writer, NULL) == 0);
    for (int i = 0; i < writers; i++) {
        assert(read(ends[0], &got, 1) == 1 && got == 'x');
        assert(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
