/* What libc itself keeps for all threads: the environment, the stream of rand, data that the next call overwrites. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <getopt.h>
#include <grp.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LOOKED_AT = 128 }; /* entries of the environment */

/* The list that is looked through, as far as the name; the program may have put another in its place, or texts of its own into
 * it. It is gone through before anything is told: what is told may be a step, behind which another thread has freed it. */
static void tell_look(const char *name, const void *site)
{
    const char *text[MOST_LOOKED_AT];
    unsigned char looked_at[MOST_LOOKED_AT];
    unsigned count = 0;
    size_t length = strlen(name);
    bpor_told_text(name, site);
    if (!bpor_listens(site) || bpor->threads < 2 || environ == NULL)
        return;
    for (bool found = false; environ[count] && count < MOST_LOOKED_AT && !found; count++) {
        text[count] = environ[count];
        looked_at[count] = (unsigned char)(strnlen(text[count], length < UCHAR_MAX ? length : UCHAR_MAX - 1) + 1);
        found = strncmp(text[count], name, length) == 0 && text[count][length] == '=';
    }
    const void *list = environ;
    bpor_told_read(&environ, sizeof environ, site);
    bpor_told_read(list, (count + 1) * sizeof *environ, site);
    for (unsigned i = 0; i < count; i++)
        bpor_told_read(text[i], looked_at[i], site);
}

/* libc puts a longer list in its place, or a text into it. */
static void tell_change(const void *site)
{
    size_t count = 0;
    const void *list = environ;
    if (!bpor_listens(site) || bpor->threads < 2)
        return;
    while (environ && environ[count])
        count++;
    bpor_told_fill(&environ, sizeof environ, site);
    if (list)
        bpor_told_fill(list, (count + 1) * sizeof *environ, site);
}

#define ENVIRONMENT_LOOK(call)                                                                                                   \
    INTERCEPT char *call(const char *name)                                                                                       \
    {                                                                                                                            \
        bpor_state_use(STATE_ENVIRONMENT, LOOKS, CALL_SITE);                                                                     \
        tell_look(name, CALL_SITE);                                                                                              \
        return REAL(call)(name);                                                                                                 \
    }

ENVIRONMENT_LOOK(getenv)
ENVIRONMENT_LOOK(secure_getenv)

/* The lists are libc's own memory, which it exchanges under a lock that nobody sees. */
#define ENVIRONMENT_CHANGE(call, parameters, arguments, ...)                                                                     \
    INTERCEPT int call parameters                                                                                                \
    {                                                                                                                            \
        bpor_state_use(STATE_ENVIRONMENT, CHANGES, CALL_SITE);                                                                   \
        __VA_ARGS__;                                                                                                             \
        tell_change(CALL_SITE);                                                                                                  \
        bool shielded = bpor_shield_begins();                                                                                    \
        int answer = REAL(call) arguments;                                                                                       \
        bpor_shield_ends(shielded);                                                                                              \
        return answer;                                                                                                           \
    }

ENVIRONMENT_CHANGE(setenv, (const char *name, const char *value, int replace), (name, value, replace),
                   bpor_told_text(name, CALL_SITE), bpor_told_text(value, CALL_SITE))
ENVIRONMENT_CHANGE(unsetenv, (const char *name), (name), bpor_told_text(name, CALL_SITE))
ENVIRONMENT_CHANGE(putenv, (char *text), (text), bpor_told_text(text, CALL_SITE))
ENVIRONMENT_CHANGE(clearenv, (void), (), (void)0)

STATE_CALL(int, rand, (void), (), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(void, srand, (unsigned seed), (seed), STATE_RANDOM, CHANGES)
STATE_CALL(long, random, (void), (), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(void, srandom, (unsigned seed), (seed), STATE_RANDOM, CHANGES)
STATE_CALL(double, drand48, (void), (), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(long, lrand48, (void), (), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(long, mrand48, (void), (), STATE_RANDOM, LOOKS | CHANGES)
STATE_CALL(void, srand48, (long seed), (seed), STATE_RANDOM, CHANGES)

STATE_CALL(char *, strtok, (char *restrict text, const char *restrict delimiters), (text, delimiters), STATE_STATICS,
           LOOKS | CHANGES)
/* What other calls of other threads do from now on (printf, iswalpha, strtod) follows a new locale, and they are no uses of it.
 */
static char *set_locale(int category, const char *name)
{
    char before[512];
    snprintf(before, sizeof before, "%s", REAL(setlocale)(category, NULL));
    char *answer = REAL(setlocale)(category, name);
    if (answer && strncmp(before, answer, sizeof before - 1) != 0)
        bpor_refuse("setlocale",
                    "a locale that changes beside other threads changes their calls as well; set it before they begin, or"
                    " use uselocale");
    return answer;
}

INTERCEPT char *setlocale(int category, const char *name)
{
    bpor_state_use(STATE_STATICS, name ? LOOKS | CHANGES : LOOKS, CALL_SITE);
    return name && bpor_process_state_meets_others() ? set_locale(category, name) : REAL(setlocale)(category, name);
}

STATE_CALL(size_t, __ctype_get_mb_cur_max, (void), (), STATE_STATICS, LOOKS)
STATE_CALL(char *, nl_langinfo, (nl_item item), (item), STATE_STATICS, LOOKS)
STATE_CALL(int, mblen, (const char *text, size_t most), (text, most), STATE_STATICS, LOOKS | CHANGES)
STATE_CALL(int, mbtowc, (wchar_t *restrict letter, const char *restrict text, size_t most), (letter, text, most), STATE_STATICS,
           LOOKS | CHANGES)
STATE_CALL(int, wctomb, (char *text, wchar_t letter), (text, letter), STATE_STATICS, LOOKS | CHANGES)

/* Its answers lie in variables of the program as well. */
#define OPTION_CALL(name, parameters, arguments)                                                                                 \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_state_use(STATE_STATICS, LOOKS | CHANGES, CALL_SITE);                                                               \
        bpor_told_fill(&optarg, sizeof optarg, CALL_SITE);                                                                       \
        bpor_told_fill(&optind, sizeof optind, CALL_SITE);                                                                       \
        return REAL(name) arguments;                                                                                             \
    }

OPTION_CALL(getopt, (int count, char *const list[], const char *letters), (count, list, letters))
OPTION_CALL(getopt_long, (int count, char *const list[], const char *letters, const struct option *words, int *index),
            (count, list, letters, words, index))
OPTION_CALL(getopt_long_only, (int count, char *const list[], const char *letters, const struct option *words, int *index),
            (count, list, letters, words, index))

STATE_CALL(int, hcreate, (size_t room), (room), STATE_STATICS, LOOKS | CHANGES)
STATE_CALL(void, hdestroy, (void), (), STATE_STATICS, CHANGES)
STATE_CALL(ENTRY *, hsearch, (ENTRY entry, ACTION action), (entry, action), STATE_STATICS,
           action == ENTER ? LOOKS | CHANGES : LOOKS)

OVERWRITTEN_BY_ZONE(struct tm *, localtime, (const time_t *moment), (moment))
OVERWRITTEN_BY(struct tm *, gmtime, (const time_t *moment), (moment), bpor_told_read(moment, sizeof *moment, site))
OVERWRITTEN_BY_ZONE(char *, ctime, (const time_t *moment), (moment))
OVERWRITTEN_BY(char *, asctime, (const struct tm *moment), (moment), bpor_told_read(moment, sizeof *moment, site))
OVERWRITTEN_BY(struct passwd *, getpwnam, (const char *name), (name), bpor_told_text(name, site))
OVERWRITTEN(struct passwd *, getpwuid, (uid_t user), (user))
OVERWRITTEN_BY(struct group *, getgrnam, (const char *name), (name), bpor_told_text(name, site))
OVERWRITTEN(struct group *, getgrgid, (gid_t group), (group))
OVERWRITTEN_BY(struct hostent *, gethostbyname, (const char *name), (name), bpor_told_text(name, site))
OVERWRITTEN(struct lconv *, localeconv, (void), ())
