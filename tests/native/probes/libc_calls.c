/* Every function of the families that are told by a table. Each call works on memory of its own and prints its answer; with the
 * name of a part a second thread writes into the memory that its calls read or write. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <inttypes.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

enum { ROWS = 160, BYTES = 1024 };
static _Alignas(16) char rooms[ROWS][BYTES];
static unsigned used;

/* `m` is the memory of the call, `w` the same as wide text; both begin with a number. */
#define CALL(function, ...)                                                                                                      \
    {                                                                                                                            \
        char *m = rooms[used];                                                                                                   \
        wchar_t *w = (wchar_t *)(void *)m;                                                                                       \
        (void)w;                                                                                                                 \
        used++;                                                                                                                  \
        long answer = (long)(__VA_ARGS__);                                                                                       \
        if (prints)                                                                                                              \
            printf("%s %ld\n", #function, answer);                                                                               \
    }
static int prints;

static int smaller(const void *one, const void *other, void *more)
{
    (void)more;
    return memcmp(one, other, 1);
}

static int listed(char **to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

static void texts(void)
{
    CALL(strverscmp, strverscmp(m, "2") < 0)
    CALL(strcoll, strcoll(m, "2") < 0)
    CALL(strxfrm, strxfrm(m, "ab", 9))
    CALL(stpncpy, stpncpy(m, "ab", 3) - m)
    CALL(memccpy, (char *)memccpy(m, "abc", 'b', 3) - m)
    CALL(swab, (swab("ab", m, 2), m[0]))
    CALL(bcopy, (bcopy("ab", m, 2), m[0]))
    CALL(bzero, (bzero(m, 2), m[0]))
    CALL(explicit_bzero, (explicit_bzero(m, 2), m[0]))
    CALL(bcmp, bcmp(m, "2", 1) != 0)
    CALL(index, index(m, ' ') - m)
    CALL(rindex, rindex(m, ' ') - m)
    CALL(memfrob, ((char *)memfrob(m, 2))[0])
    CALL(a64l, a64l(m))
    CALL(fnmatch, fnmatch("1*", m, 0))
    CALL(strtoimax, strtoimax(m, NULL, 10))
    CALL(strtoumax, strtoumax(m, NULL, 10))
    CALL(strftime_l, strftime_l(m, 3, "%d", &(struct tm){.tm_mday = 1}, newlocale(LC_ALL_MASK, "C", NULL)))
    CALL(strptime, strptime("1", "%d", (struct tm *)(void *)m) != NULL)
    CALL(strerror_r, strerror_r(9999, m, 30) == m)
    CALL(asprintf, asprintf((char **)(void *)m, "%d", 1))
    CALL(vasprintf, listed((char **)(void *)m, "%d", 1))
    CALL(frexp, frexp(8, (int *)(void *)m) * 100)
    CALL(frexpf, frexpf(8, (int *)(void *)m) * 100)
    CALL(modf, modf(8.5, (double *)(void *)m) * 100)
    CALL(modff, modff(8.5F, (float *)(void *)m) * 100)
    CALL(frexpl, frexpl(8, (int *)(void *)m) * 100)
    CALL(modfl, modfl(8.5L, (long double *)(void *)m) * 100)
    CALL(lgamma_r, lgamma_r(3, (int *)(void *)m) * 100)
    CALL(lgammaf_r, lgammaf_r(3, (int *)(void *)m) * 100)
    CALL(remquo, remquo(7, 2, (int *)(void *)m) * 100)
    CALL(remquof, remquof(7, 2, (int *)(void *)m) * 100)
    CALL(sincos, (sincos(1, (double *)(void *)m, (double *)(void *)m + 1), *(double *)(void *)m * 100))
    CALL(sincosf, (sincosf(1, (float *)(void *)m, (float *)(void *)m + 1), *(float *)(void *)m * 100))
    CALL(strtold, strtold(m, NULL) * 100)
    CALL(regcomp, regcomp((regex_t *)(void *)m, "a+", REG_EXTENDED))
    regex_t compiled;
    regcomp(&compiled, "[0-9]+", REG_EXTENDED);
    CALL(regexec, regexec(&compiled, m, 0, NULL, 0))
    CALL(regerror, regerror(REG_NOMATCH, &compiled, m, 40) > 0)
    CALL(regfree, (memcpy(m, &compiled, sizeof compiled), regfree((regex_t *)(void *)m), 0))
    CALL(qsort_r, (qsort_r(m, 7, 1, smaller, NULL), m[0]))
}

static void wide_texts(void)
{
    CALL(wcscpy, (wcscpy(w, L"ab"), w[0]))
    CALL(wcpcpy, wcpcpy(w, L"ab") - w)
    CALL(wcsncpy, (wcsncpy(w, L"ab", 4), w[0]))
    CALL(wcscat, (wcscat(w, L"ab"), w[0]))
    CALL(wcsncat, (wcsncat(w, L"ab", 1), w[0]))
    CALL(wmempcpy, wmempcpy(w, L"ab", 2) - w)
    CALL(wcscmp, wcscmp(w, L"2") < 0)
    CALL(wcsncmp, wcsncmp(w, L"2", 1) < 0)
    CALL(wcscasecmp, wcscasecmp(w, L"2") < 0)
    CALL(wcscoll, wcscoll(w, L"2") < 0)
    CALL(wcschr, wcschr(w, L'!') == NULL)
    CALL(wcsrchr, wcsrchr(w, L'!') == NULL)
    CALL(wcsstr, wcsstr(w, L"!") == NULL)
    CALL(wcspbrk, wcspbrk(w, L"!") == NULL)
    CALL(wcsspn, wcsspn(w, L"!"))
    CALL(wcscspn, wcscspn(w, L"!") > 0)
    CALL(wcsdup, wcsdup(w) != NULL)
    CALL(wcsnlen, wcsnlen(w, 1))
    CALL(wcstol, wcstol(w, NULL, 10))
    CALL(wcstoul, wcstoul(w, NULL, 10))
    CALL(wcstoll, wcstoll(w, NULL, 10))
    CALL(wcstod, wcstod(w, NULL) * 100)
    CALL(wcstof, wcstof(w, NULL) * 100)
    CALL(wcstold, wcstold(w, NULL) * 100)
    CALL(wcstoull, wcstoull(w, NULL, 10))
    CALL(mbstowcs, mbstowcs(w, "ab", 3))
    CALL(wcstombs, wcstombs(m, L"ab", 3))
    CALL(mbsnrtowcs, mbsnrtowcs(w, &(const char *){"ab"}, 3, 3, &(mbstate_t){0}))
    CALL(wcsnrtombs, wcsnrtombs(m, &(const wchar_t *){L"ab"}, 3, 3, &(mbstate_t){0}))
}

static void facts(void)
{
    struct in_addr address = {htonl(0x01020304)};
    CALL(inet_pton, inet_pton(AF_INET, "1.2.3.4", m))
    CALL(inet_ntop, inet_ntop(AF_INET, &address, m, 20) == m)
    CALL(inet_addr, inet_addr(m) != 1)
    CALL(inet_network, inet_network(m) != 1)
    CALL(inet_aton, inet_aton("1.2.3.4", (struct in_addr *)(void *)m))
    CALL(sigemptyset, sigemptyset((sigset_t *)(void *)m))
    CALL(sigfillset, sigfillset((sigset_t *)(void *)m))
    CALL(sigaddset, sigaddset((sigset_t *)(void *)m, 1))
    CALL(sigdelset, sigdelset((sigset_t *)(void *)m, 1))
    CALL(sigismember, sigismember((sigset_t *)(void *)m, 60))
    CALL(sigisemptyset, sigisemptyset((sigset_t *)(void *)m))
    sigset_t none;
    sigemptyset(&none);
    CALL(sigandset, sigandset((sigset_t *)(void *)m, &none, &none))
    CALL(sigorset, sigorset((sigset_t *)(void *)m, &none, &none))
    CALL(uname, uname((struct utsname *)(void *)m))
    CALL(sysinfo, sysinfo((struct sysinfo *)(void *)m))
    CALL(times, times((struct tms *)(void *)m) != 0)
    CALL(getrusage, getrusage(RUSAGE_SELF, (struct rusage *)(void *)m))
    CALL(getloadavg, getloadavg((double *)(void *)m, 3))
    CALL(gethostname, gethostname(m, 100))
    CALL(getdomainname, getdomainname(m, 100))
    CALL(getpwnam_r, getpwnam_r("root", (struct passwd *)(void *)m, m + 256, 512, (struct passwd **)(void *)(m + 128)))
    CALL(getpwuid_r, getpwuid_r(0, (struct passwd *)(void *)m, m + 256, 512, (struct passwd **)(void *)(m + 128)))
    CALL(getgrnam_r, getgrnam_r("root", (struct group *)(void *)m, m + 256, 512, (struct group **)(void *)(m + 128)))
    CALL(getgrgid_r, getgrgid_r(0, (struct group *)(void *)m, m + 256, 512, (struct group **)(void *)(m + 128)))
    struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST}, *list;
    CALL(getaddrinfo, getaddrinfo("127.0.0.1", NULL, &wanted, (struct addrinfo **)(void *)m))
    getaddrinfo("127.0.0.1", NULL, &wanted, &list);
    freeaddrinfo(list);
    CALL(pthread_getschedparam, pthread_getschedparam(pthread_self(), (int *)(void *)m, (struct sched_param *)(void *)(m + 8)))
    CALL(pthread_getaffinity_np, pthread_getaffinity_np(pthread_self(), 8, (cpu_set_t *)(void *)m) >= 0)
    CALL(pthread_getattr_default_np, pthread_getattr_default_np((pthread_attr_t *)(void *)m))
    CALL(mktemp, mktemp(strcpy(m, "/nowhere/XXXXXX")) == m)
    CALL(scandir, scandir("/proc/self/attr", (struct dirent ***)(void *)m, NULL, NULL) > 0)
    CALL(scandir64, scandir64("/proc/self/attr", (struct dirent64 ***)(void *)m, NULL, NULL) > 0)
    CALL(scandirat, scandirat(AT_FDCWD, "/proc/self/attr", (struct dirent ***)(void *)m, NULL, NULL) > 0)
    CALL(scandirat64, scandirat64(AT_FDCWD, "/proc/self/attr", (struct dirent64 ***)(void *)m, NULL, NULL) > 0)
    CALL(glob, glob("/et?", 0, NULL, (glob_t *)(void *)m))
    CALL(glob64, glob64("/et?", 0, NULL, (glob64_t *)(void *)m))
    CALL(tmpnam, tmpnam(m) == m)
}

static const char *part = "";

static void *calls(void *unused)
{
    if (strcmp(part, "wide_texts") != 0 && strcmp(part, "facts") != 0)
        texts();
    if (strcmp(part, "texts") != 0 && strcmp(part, "facts") != 0)
        wide_texts();
    if (strcmp(part, "texts") != 0 && strcmp(part, "wide_texts") != 0)
        facts();
    return unused;
}

static void *writes(void *unused)
{
    for (unsigned i = 0; i < ROWS; i++)
        rooms[i][0] = '1';
    return unused;
}

static int each(const char *path, const struct stat *facts, int type)
{
    return path == NULL || facts == NULL || type < 0;
}

static int each_with_place(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    return each(path, facts, type) || place == NULL;
}

static int each64(const char *path, const struct stat64 *facts, int type)
{
    return path == NULL || facts == NULL || type < 0;
}

static int each64_with_place(const char *path, const struct stat64 *facts, int type, struct FTW *place)
{
    return each64(path, facts, type) || place == NULL;
}

/* Those that keep something for the process, or take no memory of their caller's. */
static void keeps(FILE *stream, int fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t bytes = sizeof address;
    struct sched_param parameters = {0};
    pthread_attr_t attributes;
    cpu_set_t processors;
    fpos64_t place;
    int before;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    char *walked[] = {"/proc/self/attr", NULL};
    CALL(ftw, ftw("/proc/self/attr", each, 3))
    CALL(ftw64, ftw64("/proc/self/attr", each64, 3))
    CALL(nftw, nftw("/proc/self/attr", each_with_place, 3, 0))
    CALL(nftw64, nftw64("/proc/self/attr", each64_with_place, 3, 0))
    FTS *walk = fts_open(walked, FTS_PHYSICAL, NULL);
    CALL(fts_read, fts_read(walk) != NULL)
    CALL(fts_children, fts_children(walk, 0) != NULL)
    CALL(tempnam, tempnam("/tmp", "x") != NULL)
    CALL(lgamma, lgamma(3) * 100)
    CALL(lgammaf, lgammaf(3) * 100)
    CALL(lgammal, lgammal(3) * 100)
    CALL(gamma, gamma(3) * 100)
    CALL(gammaf, gammaf(3) * 100)
    CALL(pthread_setschedparam, pthread_setschedparam(pthread_self(), SCHED_OTHER, &parameters))
    CALL(pthread_setschedprio, pthread_setschedprio(pthread_self(), 0))
    CPU_ZERO(&processors);
    CALL(pthread_setaffinity_np, pthread_setaffinity_np(pthread_self(), sizeof processors, &processors) != 0)
    CALL(pthread_setconcurrency, pthread_setconcurrency(2))
    CALL(pthread_getconcurrency, pthread_getconcurrency())
    CALL(pthread_mutex_getprioceiling, pthread_mutex_getprioceiling(&mutex, &before) != 0)
    CALL(pthread_mutex_setprioceiling, pthread_mutex_setprioceiling(&mutex, 1, &before) != 0)
    pthread_attr_init(&attributes);
    CALL(pthread_setattr_default_np, pthread_setattr_default_np(&attributes))
    int socket_of_its_own = socket(AF_UNIX, SOCK_DGRAM, 0);
    CALL(bind, bind(socket_of_its_own, (struct sockaddr *)&address, sizeof(sa_family_t)))
    CALL(getsockname, getsockname(socket_of_its_own, (struct sockaddr *)&address, &bytes))
    CALL(getpeername, getpeername(socket_of_its_own, (struct sockaddr *)&address, &bytes))
    CALL(connect, connect(-1, (struct sockaddr *)&address, sizeof address))
    CALL(listen, listen(-1, 1))
    CALL(memfd_create, memfd_create("x", 0) > 0)
    CALL(tmpfile, tmpfile() != NULL)
    CALL(tmpfile64, tmpfile64() != NULL)
    CALL(inotify_init, inotify_init() > 0)
    CALL(inotify_init1, inotify_init1(0) > 0)
    CALL(setlogmask, setlogmask(0))
    CALL(openlog, (openlog("x", 0, LOG_USER), 0))
    CALL(closelog, (closelog(), 0))
    CALL(textdomain, strlen(textdomain("x")))
    CALL(bindtextdomain, strlen(bindtextdomain("x", "/tmp")))
    CALL(bind_textdomain_codeset, bind_textdomain_codeset("x", "C") != NULL)
    CALL(gettext, strlen((gettext)("x")))
    CALL(dgettext, strlen((dgettext)("x", "y")))
    CALL(dcgettext, strlen((dcgettext)("x", "y", 1)))
    CALL(ngettext, strlen((ngettext)("x", "yy", 2)))
    CALL(fwide, fwide(stream, 0))
    CALL(__fpending, __fpending(stream))
    CALL(__fbufsize, __fbufsize(stream))
    CALL(__flbf, __flbf(stream) != 0)
    CALL(__freading, __freading(stream) != 0)
    CALL(__fwriting, __fwriting(stream) != 0)
    CALL(__fpurge, (__fpurge(stream), 0))
    CALL(feof_unlocked, feof_unlocked(stream))
    CALL(ferror_unlocked, ferror_unlocked(stream))
    CALL(clearerr_unlocked, (clearerr_unlocked(stream), 0))
    CALL(fflush_unlocked, fflush_unlocked(stream))
    CALL(fgetpos64, fgetpos64(stream, &place))
    CALL(fsetpos64, fsetpos64(stream, &place))
    CALL(setbuf, (setbuf(stream, NULL), 0))
    CALL(setbuffer, (setbuffer(stream, NULL, 0), 0))
    CALL(setlinebuf, (setlinebuf(stream), 0))
    CALL(getchar_unlocked, getchar_unlocked())
    CALL(putchar_unlocked, putchar_unlocked('x'))
    CALL(fputwc_unlocked, fputwc_unlocked(L'x', stream))
    CALL(putwc_unlocked, putwc_unlocked(L'x', stream))
    CALL(fgetwc_unlocked, fgetwc_unlocked(stream))
    CALL(getwc_unlocked, getwc_unlocked(stream))
    CALL(isatty, isatty(fd))
    CALL(shutdown, shutdown(fd, SHUT_RD))
    CALL(fsync, fsync(fd))
    CALL(fdatasync, fdatasync(fd))
    CALL(closedir, closedir(opendir("/")))
    CALL(getlogin_r, getlogin_r(m, 50) >= 0)
    CALL(ttyname_r, ttyname_r(fd, m, 50))
    CALL(ptsname_r, ptsname_r(fd, m, 50))
    CALL(getgroups, getgroups(0, NULL) >= 0)
}

int main(int argc, char **argv)
{
    pthread_t one, two;
    for (unsigned i = 0; i < ROWS; i++)
        strcpy(rooms[i], "12 text");
    part = argc > 1 ? argv[1] : "";
    prints = argc == 1;
    if (prints) {
        calls(NULL);
        keeps(tmpfile(), fileno(tmpfile()));
        return 0;
    }
    pthread_create(&one, NULL, calls, NULL);
    pthread_create(&two, NULL, writes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
