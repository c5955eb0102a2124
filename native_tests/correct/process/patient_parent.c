// A parent that sleeps for a while and then looks has given its child that time: sleeping is real while another process works.
// bound preemption:0: pass
// says: nothing to interleave
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec begin, end, tenth = {0, 100 * 1000 * 1000};
    if (fork() == 0) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        do
            clock_gettime(CLOCK_MONOTONIC, &end);
        while ((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 < 20);
        _exit(0);
    }
    for (int tries = 0; tries < 50; tries++) {
        nanosleep(&tenth, NULL);
        if (waitpid(-1, NULL, WNOHANG) > 0)
            return 0;
    }
    return 1;
}
