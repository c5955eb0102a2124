/* What belongs to the process: environment, locale, random numbers, masks, limits, exit handlers. */
#include "player.h"
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

static uint64_t text(const char *value)
{
    return value ? mixed_bytes(1, value, strlen(value)) : 0;
}

static uint64_t environment(unsigned parameter)
{
    const char *names[] = {"PLAYER_ONE", "PLAYER_TWO", "PLAYER_THREE"};
    uint64_t value = text(getenv(names[parameter % 3]));
    if (parameter % 4 == 3)
        unsetenv(names[parameter % 3]);
    else
        setenv(names[parameter % 3], names[parameter % 2], parameter % 5);
    return mixed(value, text(getenv(names[(parameter + 1) % 3])));
}

static uint64_t put(unsigned parameter)
{
    static char variable[32];
    snprintf(variable, sizeof variable, "PLAYER_ONE=%u", parameter);
    putenv(variable);
    return text(getenv("PLAYER_ONE"));
}

static uint64_t locale(unsigned parameter)
{
    uint64_t value = text(setlocale(LC_ALL, nullptr));
    setlocale(LC_ALL, parameter % 2 ? "C" : "C.UTF-8");
    char number[32];
    snprintf(number, sizeof number, "%.3f", parameter / 7.0);
    locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
    if (own) {
        locale_t before = uselocale(own);
        value = mixed(value, MB_CUR_MAX);
        uselocale(before);
        freelocale(own);
    }
    return mixed(value, text(number));
}

static uint64_t random_numbers(unsigned parameter)
{
    uint64_t value = rand();
    if (parameter % 4 == 0)
        srand(parameter);
    value = mixed(value, random());
    return mixed(value, lrand48());
}

static uint64_t creation_mask(unsigned parameter)
{
    return umask(parameter % 64);
}

static uint64_t limits(unsigned parameter)
{
    struct rlimit limit;
    MUST(getrlimit(RLIMIT_MSGQUEUE, &limit) == 0);
    uint64_t value = limit.rlim_cur < 4096 ? limit.rlim_cur : 4096;
    limit.rlim_cur = parameter % 4096 < limit.rlim_max ? parameter % 4096 : limit.rlim_max;
    MUST(setrlimit(RLIMIT_MSGQUEUE, &limit) == 0);
    return value;
}

static uint64_t name_of_this(unsigned parameter)
{
    char name[17] = {};
    snprintf(name, sizeof name, "player %u", parameter % 1000);
    prctl(PR_SET_NAME, name);
    memset(name, 0, sizeof name);
    prctl(PR_GET_NAME, name);
    return text(name);
}

/* Virtual: it goes on by what the program does, not by what the machine does. */
static uint64_t hours(unsigned)
{
    struct timespec one, two;
    struct timeval three;
    clock_gettime(CLOCK_MONOTONIC, &one);
    gettimeofday(&three, nullptr);
    clock_gettime(CLOCK_MONOTONIC, &two);
    return two.tv_sec > one.tv_sec || (two.tv_sec == one.tv_sec && two.tv_nsec >= one.tv_nsec);
}

static uint64_t calendar(unsigned parameter)
{
    time_t when = parameter * 86400L;
    struct tm fields;
    char shown[64];
    setenv("TZ", parameter % 2 ? "UTC" : "EST5EDT", 1);
    tzset();
    localtime_r(&when, &fields);
    strftime(shown, sizeof shown, "%Y-%m-%d %H:%M:%S", &fields);
    return text(shown);
}

static unsigned handlers;

static void at_end()
{
    printf("handler %u\n", handlers--);
}

static uint64_t at_exit(unsigned)
{
    atexit(at_end);
    return ++handlers;
}

static uint64_t tokens(unsigned parameter)
{
    char words[] = "one two,three four", *rest;
    uint64_t value = 0;
    for (char *word = strtok_r(words, parameter % 2 ? " " : ",", &rest); word; word = strtok_r(nullptr, " ,", &rest))
        value = mixed(value, text(word));
    return value;
}

static uint64_t system_names(unsigned)
{
    struct utsname names;
    char host[256] = {};
    MUST(uname(&names) == 0);
    gethostname(host, sizeof host - 1);
    return text(names.sysname) + (strcmp(host, names.nodename) == 0) + sysconf(_SC_PAGESIZE);
}

const Activity of_settings[] = {
    {"environment", environment, SETTINGS},
    {"put", put, SETTINGS},
    {"locale", locale, SETTINGS},
    {"random_numbers", random_numbers, SETTINGS},
    {"creation_mask", creation_mask, NAMES},
    {"limits", limits, SETTINGS},
    {"name_of_this", name_of_this, NOTHING},
    {"hours", hours, NOTHING},
    {"calendar", calendar, SETTINGS},
    {"at_exit", at_exit, SETTINGS},
    {"tokens", tokens, NOTHING},
    {"system_names", system_names, NOTHING},
    {nullptr, nullptr, NOTHING},
};
