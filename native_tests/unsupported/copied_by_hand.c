// A copy that was made by a bare system call believes to be the program: it is told from it, and refused.
// says: bare system call
// machine: x86_64
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
    long answer;
    __asm__ volatile("syscall" : "=a"(answer) : "a"(57) : "rcx", "r11", "memory");
    if (answer == 0)
        _exit(test());
    wait(NULL);
    return 0;
}
