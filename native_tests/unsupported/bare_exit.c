// A thread ends the process by an instruction of its own: with status 0, which is no pass.
// says: exit by a bare system call
// expect: uncontrolled
#include <pthread.h>
#include <sys/syscall.h>

static void *leave(void *unused)
{
    __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0) : "rcx", "r11", "memory");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    return 1;
}
