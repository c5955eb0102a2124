// Random sources repeat: what /dev/urandom, getrandom and arc4random give decides which mutex is taken, and every replayed prefix agrees.
// bound preemption:2: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

static pthread_mutex_t mutex[256], meeting = PTHREAD_MUTEX_INITIALIZER;

static void take(uint8_t number)
{
    pthread_mutex_lock(&mutex[number]);
    pthread_mutex_unlock(&mutex[number]);
}

static void *work(void *unused)
{
    uint8_t bytes[3];
    int fd = open("/dev/urandom", O_RDONLY);
    FILE *file = fopen("/dev/urandom", "r");
    assert(read(fd, &bytes[0], 1) == 1 && fread(&bytes[1], 1, 1, file) == 1 && getrandom(&bytes[2], 1, 0) == 1);
    fclose(file);
    close(fd);
    for (int i = 0; i < 3; i++)
        take(bytes[i]);
    pthread_mutex_lock(&meeting);
    pthread_mutex_unlock(&meeting);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 256; i++)
        pthread_mutex_init(&mutex[i], NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&meeting);
    pthread_mutex_unlock(&meeting);
    pthread_join(thread, NULL);
    return 0;
}
