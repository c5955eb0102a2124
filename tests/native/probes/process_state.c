/* One thread makes the call that the argument names, another makes calls that both look at and change state of that class. */
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t at, size_t room);

static const char *wanted, *directory;
static char text[64], home[4096];
static int fd, here, missing, answer;
static DIR *listing;
static FILE *stream;
static struct stat facts;
static struct stat64 facts64;
static struct statx more_facts;
static struct iovec part = {text, 1};
static struct timespec moments[2];
static time_t moment;
static struct tm broken;

#define CALL(name, arguments)                                                                                                    \
    if (strcmp(wanted, #name) == 0) {                                                                                            \
        answer += (int)(long)(name arguments);                                                                                   \
        missing = 0;                                                                                                             \
    }
#define NOTHING_BACK(name, arguments)                                                                                            \
    if (strcmp(wanted, #name) == 0) {                                                                                            \
        name arguments;                                                                                                          \
        missing = 0;                                                                                                             \
    }

static void by_name(void)
{
    CALL(open, ("file", O_RDONLY))
    CALL(open64, ("file", O_RDONLY))
    CALL(openat, (here, "file", O_RDONLY))
    CALL(openat64, (here, "file", O_RDONLY))
    CALL(__open_2, ("file", O_RDONLY))
    CALL(__open64_2, ("file", O_RDONLY))
    CALL(__openat_2, (here, "file", O_RDONLY))
    CALL(__openat64_2, (here, "file", O_RDONLY))
    CALL(creat, ("file", 0600))
    CALL(creat64, ("file", 0600))
    CALL(opendir, ("."))
    CALL(unlink, ("file"))
    CALL(unlinkat, (here, "file", 0))
    CALL(remove, ("file"))
    CALL(mkdir, ("file", 0700))
    CALL(mkdirat, (here, "file", 0700))
    CALL(rmdir, ("file"))
    CALL(symlink, ("nowhere", "file"))
    CALL(symlinkat, ("nowhere", here, "file"))
    CALL(rename, ("file", "other"))
    CALL(renameat, (here, "file", here, "other"))
    CALL(renameat2, (here, "file", here, "other", 0))
    CALL(link, ("file", "other"))
    CALL(linkat, (here, "file", here, "other", 0))
    CALL(stat, ("file", &facts))
    CALL(lstat, ("file", &facts))
    CALL(fstatat, (here, "file", &facts, 0))
    CALL(stat64, ("file", &facts64))
    CALL(lstat64, ("file", &facts64))
    CALL(fstatat64, (here, "file", &facts64, 0))
    CALL(statx, (here, "file", 0, STATX_BASIC_STATS, &more_facts))
    CALL(access, ("file", F_OK))
    CALL(eaccess, ("file", F_OK))
    CALL(euidaccess, ("file", F_OK))
    CALL(faccessat, (here, "file", F_OK, 0))
    CALL(readlink, ("file", text, sizeof text))
    CALL(readlinkat, (here, "file", text, sizeof text))
    CALL(realpath, ("file", home))
    CALL(truncate, ("file", 1))
    CALL(truncate64, ("file", 1))
    CALL(chmod, ("file", 0600))
    CALL(utime, ("file", NULL))
    CALL(utimes, ("file", NULL))
    CALL(utimensat, (here, "file", NULL, 0))
    CALL(fopen, ("file", "r"))
    CALL(fopen64, ("file", "w"))
}

static void by_descriptor(void)
{
    CALL(read, (fd, text, 1))
    CALL(write, (fd, text, 1))
    CALL(readv, (fd, &part, 1))
    CALL(writev, (fd, &part, 1))
    CALL(pread, (fd, text, 1, 0))
    CALL(pread64, (fd, text, 1, 0))
    CALL(__pread_chk, (fd, text, 1, 0, sizeof text))
    CALL(__pread64_chk, (fd, text, 1, 0, sizeof text))
    CALL(preadv, (fd, &part, 1, 0))
    CALL(preadv64, (fd, &part, 1, 0))
    CALL(pwrite, (fd, text, 1, 0))
    CALL(pwrite64, (fd, text, 1, 0))
    CALL(pwritev, (fd, &part, 1, 0))
    CALL(pwritev64, (fd, &part, 1, 0))
    CALL(lseek, (fd, 0, SEEK_END))
    CALL(lseek64, (fd, 0, SEEK_END))
    CALL(ftruncate, (fd, 1))
    CALL(ftruncate64, (fd, 1))
    CALL(fallocate, (fd, 0, 0, 100))
    CALL(posix_fallocate, (fd, 0, 100))
    CALL(fstat, (fd, &facts))
    CALL(fstat64, (fd, &facts64))
    CALL(fchmod, (fd, 0600))
    CALL(futimens, (fd, moments))
    CALL(readdir, (listing))
    CALL(readdir64, (listing))
    CALL(fgetc, (stream))
    CALL(fseek, (stream, 0, SEEK_END))
}

static void by_libc(void)
{
    CALL(chdir, ("."))
    CALL(fchdir, (here))
    CALL(getcwd, (home, sizeof home))
    CALL(getenv, ("NAME"))
    CALL(secure_getenv, ("NAME"))
    CALL(setenv, ("NAME", "value", 1))
    CALL(unsetenv, ("NAME"))
    CALL(putenv, ((char *)"NAME=other"))
    CALL(clearenv, ())
    CALL(rand, ())
    NOTHING_BACK(srand, (1))
    CALL(random, ())
    NOTHING_BACK(srandom, (1))
    CALL(drand48, ())
    CALL(lrand48, ())
    CALL(mrand48, ())
    NOTHING_BACK(srand48, (1))
    CALL(strtok, (text, " "))
    CALL(setlocale, (LC_ALL, "C"))
    CALL(hcreate, (10))
    NOTHING_BACK(hdestroy, ())
    CALL(hsearch, ((ENTRY){text, NULL}, FIND))
    CALL(localtime, (&moment))
    CALL(gmtime, (&moment))
    CALL(ctime, (&moment))
    CALL(asctime, (&broken))
    CALL(getpwnam, ("root"))
    CALL(getpwuid, (0))
    CALL(getgrnam, ("root"))
    CALL(getgrgid, (0))
    CALL(gethostbyname, ("127.0.0.1"))
    CALL(localeconv, ())
}

static void *calls(void *unused)
{
    missing = 1;
    by_name();
    by_descriptor();
    by_libc();
    assert(!missing);
    return unused;
}

/* Looks at everything and changes everything, once. */
static void *other(void *unused)
{
    char letter;
    struct stat known;
    answer += stat("file", &known);
    pread(fd, &letter, 1, 0);
    lseek(fd, 1, SEEK_SET);
    rename("file", "elsewhere");
    pwrite(fd, "x", 1, 0);
    chdir(".");
    answer += getenv("NAME") != NULL;
    setenv("NAME", "other", 1);
    srand(2);
    answer += rand() == 1;
    setlocale(LC_ALL, "C");
    return unused;
}

int main(int argc, char **argv)
{
    char place[] = "/tmp/bpor-probe-XXXXXX";
    pthread_t one, two;
    wanted = argc > 1 ? argv[1] : "open";
    directory = mkdtemp(place);
    if (directory == NULL || chdir(directory) != 0)
        return 2;
    here = open(".", O_RDONLY | O_DIRECTORY);
    fd = open("file", O_RDWR | O_CREAT, 0600);
    answer = (int)write(fd, "text", 4);
    lseek(fd, 0, SEEK_SET);
    listing = opendir(".");
    stream = fopen("file", "r");
    setenv("NAME", "value", 1);
    hcreate(10);
    pthread_create(&one, NULL, calls, NULL);
    pthread_create(&two, NULL, other, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    unlink("file"), unlink("other"), unlink("elsewhere"), rmdir("file");
    return rmdir(directory) && 0;
}
