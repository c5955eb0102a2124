// A thread blocks in a system call made without the C library: the watchdog ends it and names the line.
// options: --watchdog=2s
// says: blocks_out_of_sight.c
// expect: uncontrolled
// machine: x86_64
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static long raw_read(int descriptor, void *buffer, size_t count)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(0L), "D"((long)descriptor), "S"(buffer), "d"(count) : "rcx", "r11", "memory");
    return result;
}

static void *block(void *unused)
{
    char byte;
    raw_read(ends[0], &byte, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, block, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
