// A descriptor is closed twice. If another thread opens a file in between, it gets the number, and its file is closed.
// says: is false
// bound none: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int kept;

static void *give_up(void *unused)
{
    close(kept);
    close(kept); /* as a path for errors does that cleans up once more */
    return unused;
}

static void *use(void *unused)
{
    char byte;
    int file = open("/proc/self/cmdline", O_RDONLY);
    assert(file >= 0);
    long got = read(file, &byte, 1);
    assert(got == 1);
    close(file);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    kept = open("/dev/null", O_RDONLY);
    pthread_create(&one, NULL, give_up, NULL);
    pthread_create(&two, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
