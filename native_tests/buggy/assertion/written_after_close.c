// A descriptor is used after it was closed. If another thread was given its number meanwhile, that thread's file is written.
// says: is false
// bound none: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int log_file;

static void *end(void *unused)
{
    close(log_file);
    long written = write(log_file, "bye", 3);
    (void)written;
    return unused;
}

static void *save(void *unused)
{
    char name[] = "/tmp/savedXXXXXX";
    struct stat facts;
    int file = mkstemp(name);
    assert(file >= 0);
    long written = write(file, "1", 1);
    assert(written == 1);
    int result = fstat(file, &facts);
    unlink(name);
    close(file);
    assert(result == 0 && facts.st_size == 1);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    log_file = open("/dev/null", O_WRONLY);
    pthread_create(&one, NULL, end, NULL);
    pthread_create(&two, NULL, save, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
