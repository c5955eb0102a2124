// A limit is lowered beside a thread that opens a file, which fails or not: its call is no use of the limit to us.
// says: setrlimit
// expect: uncontrolled
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void *lower(void *unused)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 3;
    setrlimit(RLIMIT_NOFILE, &limit);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, lower, NULL);
    int copy = dup(0);
    pthread_join(thread, NULL);
    return copy < 0;
}
