// Main destroys a mutex that it still holds.
// says: destroy
// bound none: misuse
#include <pthread.h>

int main(void)
{
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
    return 0;
}
