// A child made by fork before the threads answers through a pipe: the parent waits for it in earnest, not as for a thread of its own.
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_once(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int ends[2], status;
    char byte = 0;
    assert(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        usleep(20 * 1000);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    pthread_create(&thread, NULL, lock_once, NULL);
    assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    assert(waitpid(child, &status, 0) == child && status == 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
