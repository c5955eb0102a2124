// Philosophers, all left-handed.
#include <pthread.h>

#define PEOPLE 9
static pthread_mutex_t forks[PEOPLE];

static void *dine(void *seat)
{
    int left = (int)(long)seat, right = (left + 1) % PEOPLE;
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return 0;
}

int main(void)
{
    pthread_t people[PEOPLE];
    for (long i = 0; i < PEOPLE; i++)
        pthread_create(&people[i], 0, dine, (void *)i);
    for (int i = 0; i < PEOPLE; i++)
        pthread_join(people[i], 0);
    return 0;
}
