// A file and a directory that an execution opens to read, and leaves open, are closed when it is undone; output is captured by
// whatever descriptor it comes.
// bound none: pass, traces 2
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int copy_of_output, lowest_free;

__attribute__((constructor)) static void before_main(void)
{
    copy_of_output = dup(1);
    lowest_free = dup(1);
    close(lowest_free);
}

static void *look(void *unused)
{
    char magic[4];
    pthread_mutex_lock(&mutex);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    assert(read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0);
    assert(lseek(fd, 0, SEEK_CUR) == sizeof magic);
    assert(lowest_free++ == fd);
    assert(open("/no/such/file", O_RDONLY) < 0);
    DIR *root = opendir("/");
    assert(readdir(root) != NULL && closedir(root) == 0);
    assert(write(copy_of_output, "read\n", 5) == 5);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
