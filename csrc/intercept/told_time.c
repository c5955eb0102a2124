/* Conversions of time whose result lies in memory of the program. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include <time.h>

enum { STAMP = 26 }; /* bytes of "Thu Jan  1 00:00:00 1970\n" */

/* The time zone is what the environment says; where it has been looked up before (localtime_r), what it said then. */
#define CONVERSION(result, name, parameters, arguments, zone, from, to, room, bytes)                                             \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        if (zone)                                                                                                                \
            bpor_state_use(STATE_ENVIRONMENT, LOOKS, CALL_SITE);                                                                 \
        bpor_told_read(from, sizeof *from, CALL_SITE);                                                                           \
        bpor_told_room(to, room, CALL_SITE);                                                                                     \
        bool shielded = bpor_shield_begins();                                                                                    \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_shield_ends(shielded);                                                                                              \
        bpor_told_write(to, answer ? (ssize_t)(bytes) : 0, CALL_SITE);                                                           \
        return answer;                                                                                                           \
    }

CONVERSION(struct tm *, localtime_r, (const time_t *restrict moment, struct tm *restrict parts), (moment, parts), true, moment,
           parts, sizeof *parts, sizeof *parts)
CONVERSION(struct tm *, gmtime_r, (const time_t *restrict moment, struct tm *restrict parts), (moment, parts), false, moment,
           parts, sizeof *parts, sizeof *parts)
CONVERSION(char *, ctime_r, (const time_t *restrict moment, char *restrict text), (moment, text), true, moment, text, STAMP,
           strlen(text) + 1)
CONVERSION(char *, asctime_r, (const struct tm *restrict parts, char *restrict text), (parts, text), false, parts, text, STAMP,
           strlen(text) + 1)
CONVERSION(size_t, strftime, (char *restrict text, size_t room, const char *restrict format, const struct tm *restrict parts),
           (text, room, format, parts), true, parts, text, room, answer + 1)

/* It completes the parts that it is given. */
INTERCEPT time_t mktime(struct tm *parts)
{
    bpor_state_use(STATE_ENVIRONMENT, LOOKS, CALL_SITE);
    bpor_told_fill(parts, sizeof *parts, CALL_SITE);
    bool shielded = bpor_shield_begins();
    time_t moment = REAL(mktime)(parts);
    bpor_shield_ends(shielded);
    return moment;
}

/* The variables that it sets are the program's to look at. */
INTERCEPT void tzset(void)
{
    bpor_state_use(STATE_ENVIRONMENT, LOOKS | CHANGES, CALL_SITE);
    bpor_told_locked_write(&timezone, sizeof timezone, CALL_SITE);
    bpor_told_locked_write(&daylight, sizeof daylight, CALL_SITE);
    bpor_told_locked_write(tzname, sizeof tzname, CALL_SITE);
    bool shielded = bpor_shield_begins();
    REAL(tzset)();
    bpor_shield_ends(shielded);
}
