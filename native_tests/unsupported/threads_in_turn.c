// Two processes make threads, one after the other: each is a search of its own, by the command that the verdict names.
// says: 2 processes make threads, one after the other; next: bpor-native suite --
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

static void test(void)
{
    pthread_t one, two;
    int status;
    pid_t copy = fork();
    if (copy == 0) {
        pthread_create(&one, NULL, lock_once, NULL);
        pthread_create(&two, NULL, lock_once, NULL);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
        _exit(0);
    }
    assert(waitpid(copy, &status, 0) == copy && status == 0);
}

int main(void)
{
    test();
    test();
}
