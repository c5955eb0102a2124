// A copy made by fork makes threads while the original, which has made some, waits for it: one of them can be controlled, and the
// verdict names both.
// says: two processes make threads
// expect: uncontrolled
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

static void threads(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, lock_once, NULL);
    pthread_create(&two, NULL, lock_once, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

int main(void)
{
    int status;
    threads();
    pid_t copy = fork();
    if (copy == 0) {
        threads();
        _exit(0);
    }
    assert(waitpid(copy, &status, 0) == copy && status == 0);
}
