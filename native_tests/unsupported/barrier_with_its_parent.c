// A child with threads waits at a barrier for its parent, in memory that both share: that is no deadlock.
// says: a wait for another process
// expect: uncontrolled
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *meet(void *both)
{
    pthread_barrier_wait(both);
    return NULL;
}

int main(void)
{
    pthread_barrier_t *both = mmap(NULL, sizeof *both, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t attribute;
    pthread_barrierattr_init(&attribute);
    pthread_barrierattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(both, &attribute, 2);
    if (fork() == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, meet, both);
        pthread_join(thread, NULL);
        _exit(0);
    }
    pthread_barrier_wait(both);
    return wait(NULL) < 0;
}
