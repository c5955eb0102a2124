/* Where libc looks for texts, which of its messages are logged, and how full a stream is. */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/state_call.h"
#include "intercept/stdio.h"
#include "intercept/told.h"
#include <libintl.h>
#include <stdio_ext.h>
#include <syslog.h>
#include <wchar.h>

#define SETTING(result, name, parameters, arguments, setting, access)                                                            \
    PIECE_CALL(result, name, parameters, arguments, STATE_SETTINGS, setting, access)
/* Texts of libc's own, which it exchanges for others. */
#define TEXTS_CALL(name, parameters, arguments, access)                                                                          \
    INTERCEPT char *name parameters                                                                                              \
    {                                                                                                                            \
        bpor_piece_use(STATE_SETTINGS, TEXT_DOMAINS, access, CALL_SITE);                                                         \
        bool shielded = bpor_shield_begins();                                                                                    \
        char *answer = REAL(name) arguments;                                                                                     \
        bpor_shield_ends(shielded);                                                                                              \
        return answer;                                                                                                           \
    }

SETTING(int, setlogmask, (int mask), (mask), LOG_SETTINGS, mask ? LOOKS | CHANGES : LOOKS)
SETTING(void, openlog, (const char *name, int options, int facility), (name, options, facility), LOG_SETTINGS, CHANGES)
SETTING(void, closelog, (void), (), LOG_SETTINGS, CHANGES)

#undef gettext
#undef dgettext
#undef ngettext
TEXTS_CALL(textdomain, (const char *name), (name), name ? LOOKS | CHANGES : LOOKS)
TEXTS_CALL(bindtextdomain, (const char *name, const char *directory), (name, directory), directory ? LOOKS | CHANGES : LOOKS)
TEXTS_CALL(bind_textdomain_codeset, (const char *name, const char *codeset), (name, codeset), codeset ? LOOKS | CHANGES : LOOKS)
TEXTS_CALL(gettext, (const char *text), (text), LOOKS)
TEXTS_CALL(dgettext, (const char *name, const char *text), (name, text), LOOKS)
TEXTS_CALL(dcgettext, (const char *name, const char *text, int category), (name, text, category), LOOKS)
TEXTS_CALL(ngettext, (const char *one, const char *many, unsigned long count), (one, many, count), LOOKS)

#define LOOK_CALL(result, name, parameters, arguments, look)                                                                     \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        bpor_stream_use(stream, CALL_SITE);                                                                                      \
        if (look)                                                                                                                \
            bpor_stream_look_use(stream, CALL_SITE);                                                                             \
        else                                                                                                                     \
            bpor_stream_flush_use(stream, CALL_SITE);                                                                            \
        return REAL(name) arguments;                                                                                             \
    }
#undef feof_unlocked
#undef ferror_unlocked
#undef fileno_unlocked
LOOK_CALL(int, fwide, (FILE * stream, int mode), (stream, mode), mode == 0)
LOOK_CALL(size_t, __fpending, (FILE * stream), (stream), true)
LOOK_CALL(size_t, __fbufsize, (FILE * stream), (stream), true)
LOOK_CALL(int, __flbf, (FILE * stream), (stream), true)
LOOK_CALL(int, __freading, (FILE * stream), (stream), true)
LOOK_CALL(int, __fwriting, (FILE * stream), (stream), true)
LOOK_CALL(void, __fpurge, (FILE * stream), (stream), false)
LOOK_CALL(int, feof_unlocked, (FILE * stream), (stream), true)
LOOK_CALL(int, ferror_unlocked, (FILE * stream), (stream), true)
LOOK_CALL(void, clearerr_unlocked, (FILE * stream), (stream), false)
LOOK_CALL(int, fflush_unlocked, (FILE * stream), (stream), false)
LOOK_CALL(void, setbuf, (FILE *restrict stream, char *restrict buffer), (stream, buffer), false)
LOOK_CALL(void, setbuffer, (FILE *restrict stream, char *restrict buffer, size_t bytes), (stream, buffer, bytes), false)
LOOK_CALL(void, setlinebuf, (FILE * stream), (stream), false)
LOOK_CALL(int, fgetpos64, (FILE *restrict stream, fpos64_t *restrict at), (stream, at),
          (bpor_told_fill(at, sizeof *at, CALL_SITE), false))
LOOK_CALL(int, fsetpos64, (FILE * stream, const fpos64_t *at), (stream, at), (bpor_told_read(at, sizeof *at, CALL_SITE), false))
