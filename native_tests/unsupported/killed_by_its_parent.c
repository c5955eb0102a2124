// The process that has the threads is killed by its parent, at a point of its execution that nobody chose.
// says: ended from outside
// expect: uncontrolled
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static void *hit(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = hits;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    hits = seen + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int test(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, hit, NULL);
    pthread_create(&two, NULL, hit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return hits == 2 ? 0 : 1;
}

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        test();
        if (write(ends[1], "x", 1) == 1)
            for (;;)
                sched_yield();
    }
    if (read(ends[0], &byte, 1) == 1)
        kill(child, SIGKILL);
    wait(NULL);
    return 0;
}
