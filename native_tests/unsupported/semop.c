// System V semaphores block in the kernel: refused at the call, by name.
// says: semop
// expect: uncontrolled
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void *take(void *unused)
{
    struct sembuf down = {.sem_op = -1};
    semop(set, &down, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct sembuf up = {.sem_op = 1};
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&thread, NULL, take, NULL);
    semop(set, &up, 1);
    pthread_join(thread, NULL);
    semctl(set, 0, IPC_RMID);
    return 0;
}
