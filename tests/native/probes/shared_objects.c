/* One thread makes the call that the argument names, another looks at and changes the same stream, descriptor, setting or object.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <getopt.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *module);
int __cxa_at_quick_exit(void (*function)(void *), void *module);
size_t __ctype_get_mb_cur_max(void);

static const char *wanted;
static char text[64], *words[] = {"program", "-a", "-b", NULL};
static int fd, second, unconnected, missing, answer, value;
static socklen_t length = sizeof value;
static FILE *stream;
static fpos_t place;
static struct rlimit limit;
static struct rlimit64 limit64;
static struct rusage usage;
static siginfo_t child;
static struct sigaction action;
static void *root;
static int array[8];
static size_t count;
static struct element {
    struct element *next, *previous;
} head, element;
static struct hsearch_data table;
static ENTRY *entry;
static iconv_t conversion;
static mbstate_t conversion_state;
static wchar_t letter;
static unsigned seed;
static unsigned short state48[3];
static struct random_data random_state;
static struct drand48_data drand48_state;
static char random_room[64];
static int32_t number32;
static long number;
static double real;
static const struct option no_words[1];
static const char *narrow = "a";
static const wchar_t *wide = L"a";

#define CALL(name, arguments)                                                                                                    \
    if (strcmp(wanted, #name) == 0) {                                                                                            \
        answer += (int)(long)((name)arguments); /* no macro */                                                                   \
        missing = 0;                                                                                                             \
    }
#define NOTHING_BACK(name, arguments)                                                                                            \
    if (strcmp(wanted, #name) == 0) {                                                                                            \
        name arguments;                                                                                                          \
        missing = 0;                                                                                                             \
    }

static int compare(const void *one, const void *other)
{
    return *(const int *)one - *(const int *)other;
}

static void at_exit(void *argument)
{
    (void)argument;
}

static void at_exit_with_status(int status, void *argument)
{
    (void)status;
    (void)argument;
}

static void by_stream(void)
{
    CALL(fputc, ('a', stream))
    CALL(putc, ('a', stream))
    CALL(fputs, ("a", stream))
    CALL(fprintf, (stream, "a"))
    CALL(fwrite, ("a", 1, 1, stream))
    CALL(fgetc, (stream))
    CALL(getc, (stream))
    CALL(ungetc, ('a', stream))
    CALL(fread, (text, 1, 1, stream))
    CALL(fgets, (text, sizeof text, stream))
    CALL(feof, (stream))
    CALL(ferror, (stream))
    CALL(ftell, (stream))
    CALL(fseek, (stream, 0, SEEK_SET))
    CALL(fflush, (stream))
    CALL(setvbuf, (stream, NULL, _IONBF, 0))
    NOTHING_BACK(rewind, (stream))
    NOTHING_BACK(clearerr, (stream))
    CALL(fgetpos, (stream, &place))
    CALL(fsetpos, (stream, &place))
    CALL(fgetc_unlocked, (stream))
    CALL(getc_unlocked, (stream))
    CALL(fputc_unlocked, ('a', stream))
    CALL(putc_unlocked, ('a', stream))
    CALL(fwrite_unlocked, ("a", 1, 1, stream))
    CALL(fputs_unlocked, ("a", stream))
    CALL(fread_unlocked, (text, 1, 1, stream))
    CALL(fgets_unlocked, (text, sizeof text, stream))
}

static void by_wide_stream(void)
{
    CALL(fgetwc, (stream))
    CALL(getwc, (stream))
    CALL(fputwc, (L'a', stream))
    CALL(putwc, (L'a', stream))
    CALL(fputws, (L"a", stream))
}

static void by_descriptor(void)
{
    CALL(fcntl, (fd, F_GETFL))
    CALL(fcntl64, (fd, F_GETFL))
    CALL(ioctl, (fd, FIONREAD, &value))
    CALL(getsockopt, (unconnected, SOL_SOCKET, SO_KEEPALIVE, &value, &length))
    CALL(setsockopt, (unconnected, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof value))
    CALL(flock, (second, LOCK_EX | LOCK_NB))
    CALL(dup2, (second, fd))
    CALL(dup3, (second, fd, 0))
    CALL(close, (fd))
}

static void by_setting(void)
{
    CALL(umask, (022))
    CALL(getrlimit, (RLIMIT_CORE, &limit))
    CALL(getrlimit64, (RLIMIT_CORE, &limit64))
    CALL(prlimit, (0, RLIMIT_CORE, NULL, &limit))
    CALL(prlimit64, (0, RLIMIT_CORE, NULL, &limit64))
    CALL(setrlimit, (RLIMIT_CORE, &limit))
    CALL(setrlimit64, (RLIMIT_CORE, &limit64))
    CALL(getpriority, (PRIO_PROCESS, 0))
    CALL(setpriority, (PRIO_PROCESS, 0, 19))
    CALL(nice, (0))
    CALL(__cxa_atexit, (at_exit, NULL, NULL))
    CALL(__cxa_at_quick_exit, (at_exit, NULL))
    CALL(on_exit, (at_exit_with_status, NULL))
    CALL(wait, (&value))
    CALL(waitpid, (-1, &value, WNOHANG))
    CALL(wait4, (-1, &value, WNOHANG, &usage))
    CALL(waitid, (P_ALL, 0, &child, WEXITED | WNOHANG))
    CALL(sbrk, (0))
    CALL(brk, (NULL))
    CALL(sigaction, (SIGUSR1, NULL, &action))
    CALL(signal, (SIGUSR1, SIG_IGN))
}

static void by_object(void)
{
    CALL(tsearch, (&seed, &root, compare))
    CALL(tfind, (&seed, &root, compare))
    CALL(tdelete, (&seed, &root, compare))
    CALL(lsearch, (&seed, array, &count, sizeof array[0], compare))
    CALL(lfind, (&seed, array, &count, sizeof array[0], compare))
    NOTHING_BACK(insque, (&element, &head))
    NOTHING_BACK(remque, (&element))
    CALL(hcreate_r, (4, &table))
    NOTHING_BACK(hdestroy_r, (&table))
    CALL(hsearch_r, ((ENTRY){text, NULL}, FIND, &entry, &table))
    CALL(iconv, (conversion, NULL, NULL, NULL, NULL))
    CALL(mbrtowc, (&letter, "a", 1, &conversion_state))
    CALL(mbrlen, ("a", 1, &conversion_state))
    CALL(wcrtomb, (text, L'a', &conversion_state))
    CALL(mbsrtowcs, (&letter, &narrow, 1, &conversion_state))
    CALL(wcsrtombs, (text, &wide, 1, &conversion_state))
    CALL(rand_r, (&seed))
    CALL(erand48, (state48))
    CALL(nrand48, (state48))
    CALL(jrand48, (state48))
    CALL(random_r, (&random_state, &number32))
    CALL(srandom_r, (1, &random_state))
    CALL(initstate_r, (1, random_room, sizeof random_room, &random_state))
    CALL(setstate_r, (random_room, &random_state))
    CALL(drand48_r, (&drand48_state, &real))
    CALL(lrand48_r, (&drand48_state, &number))
    CALL(mrand48_r, (&drand48_state, &number))
    CALL(srand48_r, (1, &drand48_state))
}

static void by_libc(void)
{
    CALL(__ctype_get_mb_cur_max, ())
    CALL(nl_langinfo, (CODESET))
    CALL(mblen, ("a", 1))
    CALL(mbtowc, (&letter, "a", 1))
    CALL(wctomb, (text, L'a'))
    CALL(getopt, (3, words, "ab"))
    CALL(getopt_long, (3, words, "ab", no_words, NULL))
    CALL(getopt_long_only, (3, words, "ab", no_words, NULL))
}

static void *calls(void *unused)
{
    missing = 1;
    by_stream();
    by_wide_stream();
    by_descriptor();
    by_setting();
    by_object();
    by_libc();
    assert(!missing);
    return unused;
}

/* One of each kind. */
static void *other(void *unused)
{
    answer += fcntl(fd, F_GETFL) + fcntl(fd, F_SETFL, 0);
    answer += (int)lseek(fd, 0, SEEK_CUR);
    answer += setsockopt(unconnected, SOL_SOCKET, SO_KEEPALIVE, &(int){0}, sizeof(int));
    answer += getsockopt(unconnected, SOL_SOCKET, SO_KEEPALIVE, &(int){0}, &(socklen_t){sizeof(int)});
    answer += flock(fd, LOCK_EX | LOCK_NB) + flock(fd, LOCK_UN);
    answer += fgetc(stream);
    answer += (int)umask(022) + setrlimit(RLIMIT_CORE, &limit) + getrlimit(RLIMIT_CORE, &limit) + nice(0) +
              on_exit(at_exit_with_status, NULL);
    answer += waitpid(-1, NULL, WNOHANG) + (sbrk(16) != NULL) + (signal(SIGUSR1, SIG_IGN) == SIG_ERR);
    answer += tsearch(&array[7], &root, compare) != NULL;
    answer += lsearch(&array[7], array, &count, sizeof array[0], compare) != NULL;
    insque(&element, &head);
    answer += strcmp(wanted, "hdestroy_r") == 0 ? hcreate_r(4, &table) : hsearch_r((ENTRY){text, NULL}, ENTER, &entry, &table);
    answer += (int)iconv(conversion, NULL, NULL, NULL, NULL) + (int)mbrlen("a", 1, &conversion_state);
    answer += rand_r(&seed) + (int)nrand48(state48) + random_r(&random_state, &number32) + lrand48_r(&drand48_state, &number);
    answer += setlocale(LC_ALL, "C") != NULL;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;
    wanted = argc > 1 ? argv[1] : "fputc";
    stream = tmpfile();
    if (stream == NULL)
        return 2;
    fputs("text", stream);
    rewind(stream);
    fd = dup(fileno(tmpfile()));
    second = dup(fileno(tmpfile()));
    if (strcmp(wanted, "flock") == 0)
        dup2(fd, second);
    unconnected = socket(AF_INET, SOCK_STREAM, 0);
    getrlimit(RLIMIT_CORE, &limit);
    getrlimit64(RLIMIT_CORE, &limit64);
    hcreate_r(4, &table);
    conversion = iconv_open("ASCII", "ASCII");
    initstate_r(1, random_room, sizeof random_room, &random_state);
    pthread_create(&one, NULL, calls, NULL);
    pthread_create(&two, NULL, other, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return answer == -1;
}
