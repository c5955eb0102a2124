// One thread changes what libc or the kernel keeps for all of them, another one takes it for unchanged. It looks first in the order in
// which the threads are made; a schedule in which it comes second is needed.
// bound preemption:0: assertion
// with CASE=1, bound preemption:0: assertion
// with CASE=2, bound preemption:0: assertion
// with CASE=3, bound preemption:0: assertion
// with CASE=4, bound preemption:0: assertion
// with CASE=5, bound preemption:0: assertion
// with CASE=6, bound preemption:0: assertion
// with CASE=7, bound preemption:0: assertion
// with CASE=8, bound preemption:0: assertion
// with CASE=9, bound preemption:0: assertion
// with CASE=10, bound preemption:0: assertion
// with CASE=11, bound preemption:0: assertion
// with CASE=12, bound preemption:0: assertion
// with CASE=13, bound preemption:0: assertion
// with CASE=14, bound preemption:0: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <libintl.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

#ifndef CASE
#define CASE 0
#endif

extern char **environ;
static char home[] = "/tmp/bporXXXXXX";
static pthread_t third;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *stream;
static int fd, seen;

static int each(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)path, (void)facts, (void)type, (void)place;
    seen++;
    return 0;
}

static void bind_name(int to)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "bpor-%s", home + 5);
    seen = bind(to, (struct sockaddr *)&address, sizeof address);
}

static int count_environment(void)
{
    int count = 0;
    while (environ[count])
        count++;
    return count;
}

static int count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void change_file(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/file", home);
    int made = open(path, O_CREAT | O_WRONLY, 0600);
    assert(made >= 0);
    close(made);
}

static void *changes(void *unused)
{
    pthread_attr_t attributes;
    switch (CASE) {
    case 0:
        close(shm_open(home + 4, O_CREAT | O_RDWR, 0600));
        break;
    case 1:
    case 2:
    case 3:
        change_file();
        break;
    case 4:
    case 5:
        bind_name(fd);
        break;
    case 6:
        pthread_setschedparam(third, SCHED_BATCH, &(struct sched_param){0});
        break;
    case 7:
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 1 << 18);
        pthread_setattr_default_np(&attributes);
        break;
    case 8:
        pthread_detach(third);
        break;
    case 9:
        setlogmask(LOG_UPTO(LOG_ERR));
        break;
    case 10:
        textdomain("other");
        break;
    case 11:
    case 12:
        fputc('x', stream);
        break;
    case 13:
        open("/dev/null", O_RDONLY);
        break;
    default:
        setenv("BPOR_ONE_MORE", "1", 1);
    }
    return unused;
}

static void *looks(void *unused)
{
    struct dirent **list;
    struct sockaddr_un address = {0};
    socklen_t bytes = sizeof address;
    struct sched_param parameters;
    pthread_attr_t attributes;
    size_t size = 0;
    int answer = 0;
    glob_t found;
    char pattern[64];
    switch (CASE) {
    case 0:
        assert(shm_open(home + 4, O_RDWR, 0600) < 0);
        break;
    case 1:
        assert(scandir(home, &list, NULL, alphasort) == 2);
        break;
    case 2:
        nftw(home, each, 4, 0);
        assert(seen == 1);
        break;
    case 3:
        snprintf(pattern, sizeof pattern, "%s/*", home);
        assert(glob(pattern, 0, NULL, &found) == GLOB_NOMATCH);
        break;
    case 4:
        bind_name(socket(AF_UNIX, SOCK_DGRAM, 0));
        assert(seen == 0);
        break;
    case 5:
        getsockname(fd, (struct sockaddr *)&address, &bytes);
        assert(bytes <= offsetof(struct sockaddr_un, sun_path));
        break;
    case 6:
        pthread_getschedparam(third, &answer, &parameters);
        assert(answer == SCHED_OTHER);
        break;
    case 7:
        pthread_getattr_default_np(&attributes);
        pthread_attr_getstacksize(&attributes, &size);
        assert(size != 1 << 18);
        break;
    case 8:
        pthread_getattr_np(third, &attributes);
        pthread_attr_getdetachstate(&attributes, &answer);
        assert(answer == PTHREAD_CREATE_JOINABLE);
        break;
    case 9:
        assert(setlogmask(0) == 0xff);
        break;
    case 10:
        assert(strcmp(textdomain(NULL), "other") != 0);
        break;
    case 11:
        assert(fwide(stream, 0) == 0);
        break;
    case 12:
        assert(__fpending(stream) == 0);
        break;
    case 13:
        assert(count_descriptors() == seen);
        break;
    default:
        assert(count_environment() == seen);
    }
    return unused;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    assert(mkdtemp(home));
    stream = tmpfile();
    fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    seen = CASE == 13 ? count_descriptors() : CASE == 14 ? count_environment() : 0;
    pthread_mutex_lock(&lock);
    if (CASE == 6 || CASE == 8)
        pthread_create(&third, NULL, waits, NULL);
    pthread_create(&one, NULL, looks, NULL);
    pthread_create(&two, NULL, changes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
