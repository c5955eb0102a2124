/* Conversions of time whose result lies in memory of the program. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <time.h>

enum { STAMP = 26 }; /* bytes of "Thu Jan  1 00:00:00 1970\n" */

#define CONVERSION(result, name, parameters, arguments, from, to, room, bytes)                                                   \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_told_read(from, sizeof *from, CALL_SITE);                                                                           \
        bpor_told_room(to, room, CALL_SITE);                                                                                     \
        result answer = REAL(name) arguments;                                                                                    \
        bpor_told_write(to, answer ? (ssize_t)(bytes) : 0, CALL_SITE);                                                           \
        return answer;                                                                                                           \
    }

CONVERSION(struct tm *, localtime_r, (const time_t *restrict moment, struct tm *restrict parts), (moment, parts), moment, parts,
           sizeof *parts, sizeof *parts)
CONVERSION(struct tm *, gmtime_r, (const time_t *restrict moment, struct tm *restrict parts), (moment, parts), moment, parts,
           sizeof *parts, sizeof *parts)
CONVERSION(char *, ctime_r, (const time_t *restrict moment, char *restrict text), (moment, text), moment, text, STAMP,
           strlen(text) + 1)
CONVERSION(char *, asctime_r, (const struct tm *restrict parts, char *restrict text), (parts, text), parts, text, STAMP,
           strlen(text) + 1)
CONVERSION(size_t, strftime, (char *restrict text, size_t room, const char *restrict format, const struct tm *restrict parts),
           (text, room, format, parts), parts, text, room, answer + 1)
