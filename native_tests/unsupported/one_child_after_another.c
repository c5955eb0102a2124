// Two children make threads, one after the other: the verdict counts them, and names the command that explores each.
// says: 2 processes make threads
// expect: uncontrolled
#include <pthread.h>
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
    for (int number = 0; number < 2; number++) {
        if (fork() == 0)
            _exit(test());
        wait(NULL);
    }
    return 0;
}
