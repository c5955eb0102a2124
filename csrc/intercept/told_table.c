/* Functions of libc that read or write memory of their caller and do nothing else that threads could see: each row says which.
 * They take numbers and pointers only, and none has more than six arguments, so that one form fits all of them: what a function
 * does not take is passed on and ignored. Rows of functions that this libc does not have are never called. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <arpa/inet.h>
#include <grp.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <wchar.h>

typedef long generic(long a, long b, long c, long d, long e, long f);

/* `before` tells what it reads, and what it writes in full; `behind` what it has written, once `answer` is known. */
#define ROW(name, before, behind)                                                                                                \
    INTERCEPT generic told_##name __asm__(#name);                                                                                \
    long told_##name(long a, long b, long c, long d, long e, long f)                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        before;                                                                                                                  \
        long answer = ((generic *)bpor_real(REAL_##name))(a, b, c, d, e, f);                                                     \
        behind;                                                                                                                  \
        (void)site;                                                                                                              \
        return answer;                                                                                                           \
    }
#define NOTHING (void)0
#define TEXT(text) bpor_told_text((const char *)(text), site)
#define READ(from, bytes) bpor_told_read((const void *)(from), (size_t)(bytes), site)
#define FILL(to, bytes) bpor_told_fill((const void *)(to), (size_t)(bytes), site)
#define ROOM(to, bytes) bpor_told_room((const void *)(to), (size_t)(bytes), site)
#define WROTE(to, bytes) bpor_told_write((const void *)(to), (ssize_t)(bytes), site)
#define WIDE(text) READ(text, wide_bytes((const wchar_t *)(text), SIZE_MAX / 8))
#define WIDE_UP_TO(text, most) READ(text, wide_bytes((const wchar_t *)(text), (size_t)(most)))
#define WELL (int)answer == 0

/* With its end, if that comes soon enough. */
static size_t text_bytes(const char *text, size_t most)
{
    size_t length = text ? strnlen(text, most) : 0;
    return length < most ? length + 1 : length;
}

static size_t wide_bytes(const wchar_t *text, size_t most)
{
    size_t length = 0; /* wcsnlen is a row of this table */
    while (text && length < most && text[length])
        length++;
    return (length < most ? length + 1 : length) * sizeof *text;
}

/* As far as the letter, or so many bytes. */
static size_t bytes_until(const void *from, int letter, size_t most)
{
    const char *found = memchr(from, letter, most);
    return found ? (size_t)(found - (const char *)from) + 1 : most;
}

static const wchar_t *end_of(const void *text)
{
    return (const wchar_t *)text + wcslen(text);
}

static size_t address_bytes(long family)
{
    return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}

/* The kernel's part of a set: libc touches no more of it. */
enum { SIGNALS = 8 };

/* ---- texts and bytes ---- */
ROW(strverscmp, (TEXT(a), TEXT(b)), NOTHING)
ROW(strcoll, (TEXT(a), TEXT(b)), NOTHING)
ROW(strxfrm, (TEXT(b), ROOM(a, c)), WROTE(a, answer < c ? answer + 1 : 0))
ROW(stpncpy, (READ(b, text_bytes((const char *)b, (size_t)c)), FILL(a, c)), NOTHING)
ROW(memccpy, (READ(b, bytes_until((const void *)b, (int)c, (size_t)d)), FILL(a, bytes_until((const void *)b, (int)c, (size_t)d))),
    NOTHING)
ROW(swab, (READ(a, c), FILL(b, c)), NOTHING)
ROW(bcopy, (READ(a, c), FILL(b, c)), NOTHING)
ROW(bzero, FILL(a, b), NOTHING)
ROW(explicit_bzero, FILL(a, b), NOTHING)
ROW(__explicit_bzero_chk, FILL(a, b), NOTHING)
ROW(bcmp, (READ(a, c), READ(b, c)), NOTHING)
ROW(index, TEXT(a), NOTHING)
ROW(rindex, TEXT(a), NOTHING)
ROW(strlcpy, (TEXT(b), ROOM(a, c)), WROTE(a, answer < c ? answer + 1 : c))
ROW(strlcat, (TEXT(b), ROOM(a, c)), WROTE(a, answer < c ? answer + 1 : c))
ROW(__stpncpy_chk, (READ(b, text_bytes((const char *)b, (size_t)c)), FILL(a, c)), NOTHING)
ROW(memfrob, FILL(a, b), NOTHING)
ROW(a64l, TEXT(a), NOTHING)
ROW(fnmatch, (TEXT(a), TEXT(b)), NOTHING)
ROW(strtoimax, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(strtoumax, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(__isoc23_strtol, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(__isoc23_strtoul, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(__isoc23_strtoll, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(__isoc23_strtoull, (TEXT(a), FILL(b, sizeof(char *))), NOTHING)
ROW(strptime, (TEXT(a), TEXT(b), FILL(c, sizeof(struct tm))), NOTHING)
ROW(strerror_r, ROOM(b, c), WROTE(b, answer == b ? text_bytes((const char *)b, (size_t)c) : 0))
ROW(__xpg_strerror_r, ROOM(b, c), WROTE(b, text_bytes((const char *)b, (size_t)c)))

/* ---- wide texts ---- */
ROW(wcscpy, (WIDE(b), FILL(a, wide_bytes((const wchar_t *)b, SIZE_MAX / 8))), NOTHING)
ROW(wcpcpy, (WIDE(b), FILL(a, wide_bytes((const wchar_t *)b, SIZE_MAX / 8))), NOTHING)
ROW(wcsncpy, (WIDE_UP_TO(b, c), FILL(a, (size_t)c * sizeof(wchar_t))), NOTHING)
ROW(wcscat, (WIDE(a), WIDE(b), FILL(end_of((const void *)a), wide_bytes((const wchar_t *)b, SIZE_MAX / 8))), NOTHING)
ROW(wcsncat, (WIDE(a), WIDE_UP_TO(b, c), FILL(end_of((const void *)a), wide_bytes((const wchar_t *)b, (size_t)c))), NOTHING)
ROW(wmempcpy, (READ(b, (size_t)c * sizeof(wchar_t)), FILL(a, (size_t)c * sizeof(wchar_t))), NOTHING)
ROW(wcscmp, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcsncmp, (WIDE_UP_TO(a, c), WIDE_UP_TO(b, c)), NOTHING)
ROW(wcscasecmp, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcscoll, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcschr, WIDE(a), NOTHING)
ROW(wcsrchr, WIDE(a), NOTHING)
ROW(wcsstr, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcspbrk, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcsspn, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcscspn, (WIDE(a), WIDE(b)), NOTHING)
ROW(wcsdup, WIDE(a), NOTHING)
ROW(wcsnlen, WIDE_UP_TO(a, b), NOTHING)
ROW(wcstol, (WIDE(a), FILL(b, sizeof(wchar_t *))), NOTHING)
ROW(wcstoul, (WIDE(a), FILL(b, sizeof(wchar_t *))), NOTHING)
ROW(wcstoll, (WIDE(a), FILL(b, sizeof(wchar_t *))), NOTHING)
ROW(wcstoull, (WIDE(a), FILL(b, sizeof(wchar_t *))), NOTHING)
ROW(mbstowcs, (TEXT(b), ROOM(a, (size_t)c * sizeof(wchar_t))),
    WROTE(a, answer < 0 ? 0 : (answer < c ? answer + 1 : answer) * (long)sizeof(wchar_t)))
ROW(wcstombs, (WIDE(b), ROOM(a, c)), WROTE(a, answer < 0 ? 0 : answer < c ? answer + 1 : answer))

ROW(mbsnrtowcs,
    (a ? FILL(b, sizeof(char *)) : READ(b, sizeof(char *)), READ(*(char **)b, text_bytes(*(char **)b, (size_t)c)),
     ROOM(a, (size_t)d * sizeof(wchar_t))),
    WROTE(a, answer < 0 ? 0 : (answer < d ? answer + 1 : answer) * (long)sizeof(wchar_t)))
ROW(wcsnrtombs, (a ? FILL(b, sizeof(char *)) : READ(b, sizeof(char *)), WIDE_UP_TO(*(wchar_t **)b, c), ROOM(a, d)),
    WROTE(a, answer < 0   ? 0
             : answer < d ? answer + 1
                          : answer))
ROW(__strftime_l, (TEXT(c), READ(d, sizeof(struct tm)), ROOM(a, b)), WROTE(a, answer ? answer + 1 : 0))
ROW(strftime_l, (TEXT(c), READ(d, sizeof(struct tm)), ROOM(a, b)), WROTE(a, answer ? answer + 1 : 0))
ROW(__wcsftime_l, (WIDE(c), READ(d, sizeof(struct tm)), ROOM(a, (size_t)b * sizeof(wchar_t))),
    WROTE(a, answer ? (answer + 1) * (long)sizeof(wchar_t) : 0))

/* ---- addresses ---- */
ROW(inet_pton, (TEXT(b), ROOM(c, address_bytes(a))), WROTE(c, (int)answer == 1 ? address_bytes(a) : 0))
ROW(inet_ntop, (READ(b, address_bytes(a)), ROOM(c, d)), WROTE(c, answer ? text_bytes((const char *)c, (size_t)d) : 0))
ROW(inet_addr, TEXT(a), NOTHING)
ROW(inet_network, TEXT(a), NOTHING)
ROW(inet_aton, (TEXT(a), ROOM(b, sizeof(struct in_addr))), WROTE(b, (int)answer ? sizeof(struct in_addr) : 0))

/* ---- sets of signals ---- */
ROW(sigemptyset, FILL(a, SIGNALS), NOTHING)
ROW(sigfillset, FILL(a, SIGNALS), NOTHING)
ROW(sigaddset, FILL(a, SIGNALS), NOTHING)
ROW(sigdelset, FILL(a, SIGNALS), NOTHING)
ROW(sigismember, READ(a, SIGNALS), NOTHING)
ROW(sigisemptyset, READ(a, SIGNALS), NOTHING)
ROW(sigandset, (READ(b, SIGNALS), READ(c, SIGNALS), FILL(a, SIGNALS)), NOTHING)
ROW(sigorset, (READ(b, SIGNALS), READ(c, SIGNALS), FILL(a, SIGNALS)), NOTHING)

/* ---- what is known of the system ---- */
ROW(uname, FILL(a, sizeof(struct utsname)), NOTHING)
ROW(sysinfo, FILL(a, sizeof(struct sysinfo)), NOTHING)
ROW(times, FILL(a, sizeof(struct tms)), NOTHING)
ROW(getrusage, FILL(b, sizeof(struct rusage)), NOTHING)
ROW(getloadavg, FILL(a, (size_t)b * sizeof(double)), NOTHING)
ROW(gethostname, ROOM(a, b), WROTE(a, WELL ? text_bytes((const char *)a, (size_t)b) : 0))
ROW(getdomainname, ROOM(a, b), WROTE(a, WELL ? text_bytes((const char *)a, (size_t)b) : 0))
ROW(getlogin_r, ROOM(a, b), WROTE(a, WELL ? text_bytes((const char *)a, (size_t)b) : 0))
ROW(ttyname_r, ROOM(b, c), WROTE(b, WELL ? text_bytes((const char *)b, (size_t)c) : 0))
ROW(ptsname_r, ROOM(b, c), WROTE(b, WELL ? text_bytes((const char *)b, (size_t)c) : 0))
ROW(getgroups, ROOM(b, (size_t)a * sizeof(gid_t)), WROTE(b, answer *(long)sizeof(gid_t)))

/* ---- patterns and sorted arrays; the program's own function compares ---- */
ROW(regcomp, (TEXT(b), FILL(a, sizeof(regex_t))), NOTHING)
ROW(regexec, (READ(a, sizeof(regex_t)), TEXT(b), ROOM(d, (size_t)c * sizeof(regmatch_t))),
    WROTE(d, WELL ? (size_t)c * sizeof(regmatch_t) : 0))
ROW(regerror, ROOM(c, d), WROTE(c, text_bytes((const char *)c, (size_t)d)))
ROW(regfree, FILL(a, sizeof(regex_t)), NOTHING)
ROW(qsort_r, FILL(a, (size_t)b *(size_t)c), NOTHING)
