/* `many STEPS OBJECTS`: one thread locks and unlocks so many mutexes in turn. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutexes[1 << 16];

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 0, objects = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < steps / 2; i++) {
        pthread_mutex_lock(&mutexes[i % objects]);
        pthread_mutex_unlock(&mutexes[i % objects]);
    }
    return 0;
}
