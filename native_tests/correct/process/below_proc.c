// The program finds itself below /proc, by the number that it is told, and its threads by theirs.
// expect: pass
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *looks(void *unused)
{
    char path[64], target[64] = "";
    struct stat facts;
    int fd = open("/dev/null", O_RDONLY);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    assert(readlink(path, target, sizeof target) == 9 && strcmp(target, "/dev/null") == 0);
    close(fd);
    snprintf(path, sizeof path, "/proc/%d", (int)getpid());
    assert(access(path, F_OK) == 0 && stat(path, &facts) == 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)getpid(), (int)gettid());
    FILE *stream = fopen(path, "r");
    assert(stream != NULL);
    fclose(stream);
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)gettid());
    DIR *directory = opendir(path);
    assert(directory != NULL);
    closedir(directory);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, looks, NULL);
    pthread_join(thread, NULL);
    looks(NULL);
    return 0;
}
