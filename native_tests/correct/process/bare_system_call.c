// A thread asks the kernel by an instruction of its own, past libc. What the call writes is seen by nobody, and the verdict says so.
// expect: pass
// says: nothing shared by bare system calls (sysinfo)
// machine: x86_64
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

static void *asks(void *unused)
{
    struct sysinfo facts;
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(SYS_sysinfo), "D"(&facts) : "rcx", "r11", "memory");
    assert(answer == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, asks, NULL);
    pthread_join(thread, NULL);
    return 0;
}
