// What is read from and written to devices that keep nothing is no effect: executions are rolled back.
// bound preemption:2: pass, traces 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void use_descriptors(void)
{
    char bytes[16] = {1};
    int zeros = open("/dev/zero", O_RDONLY), random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    int sink = open("/dev/null", O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    assert(read(zeros, bytes, sizeof bytes) == sizeof bytes && bytes[0] == 0);
    assert(read(random, bytes, sizeof bytes) == sizeof bytes);
    assert(write(sink, bytes, sizeof bytes) == sizeof bytes && read(sink, bytes, sizeof bytes) == 0);
    close(zeros);
    close(random); /* and not the third */
}

static void use_streams(void)
{
    FILE *sink = fopen("/dev/null", "w");
    assert(sink != NULL && fprintf(sink, "nobody reads this\n") > 0 && fclose(sink) == 0);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    use_descriptors();
    use_streams();
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
