/* Objects of the program that functions of libc read and write. Each counts as a piece of libc's static data, identified by its
 * address, because the accesses which the functions make to the memory behind it are not seen; those of the object itself, which
 * the program can look at, are told. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "intercept/told.h"
#include "runtime/runtime.h"
#include <iconv.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define OBJECT_CALL(result, name, parameters, arguments, state, object, access, ...)                                             \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        const void *site = CALL_SITE;                                                                                            \
        bpor_piece_use(state, (uintptr_t)(object), access, site);                                                                \
        __VA_ARGS__;                                                                                                             \
        return REAL(name) arguments;                                                                                             \
    }
#define STATICS_CALL(result, name, parameters, arguments, object, access, ...)                                                   \
    OBJECT_CALL(result, name, parameters, arguments, STATE_STATICS, object, access, __VA_ARGS__)
#define RANDOM_CALL(result, name, parameters, arguments, object, ...)                                                            \
    OBJECT_CALL(result, name, parameters, arguments, STATE_RANDOM, object, LOOKS | CHANGES, __VA_ARGS__)
#define FILLS_OBJECT(object) bpor_told_fill(object, sizeof *(object), site)
#define TAKES_OBJECT(object) bpor_told_read(object, sizeof *(object), site)
#define FILLS_STATE48 bpor_told_fill(state, 3 * sizeof *state, site)

/* The two words by which an element of a list knows its neighbours. */
struct linked {
    struct linked *next, *previous;
};

static void tell_inserted(const struct linked *element, const struct linked *before, const void *site)
{
    FILLS_OBJECT(element);
    FILLS_OBJECT(before);
    if (before)
        FILLS_OBJECT(before->next);
}

static void tell_removed(const struct linked *element, const void *site)
{
    TAKES_OBJECT(element);
    FILLS_OBJECT(element->next);
    FILLS_OBJECT(element->previous);
}

/* What is converted, as far as there is any; how far it comes is not known before. */
static void tell_conversion(char **from, const size_t *left, char **to, const size_t *room, const void *site)
{
    if (from && *from) {
        bpor_told_read(*from, *left, site);
        FILLS_OBJECT(from);
        FILLS_OBJECT(left);
    }
    if (from && *from && to && *to) {
        bpor_told_fill(*to, *room < *left ? *room : *left, site);
        FILLS_OBJECT(to);
        FILLS_OBJECT(room);
    }
}

/* Trees by their root, arrays by their start; a list has no such place, so that all lists are one. */
STATICS_CALL(void *, tsearch, (const void *key, void **root, __compar_fn_t compare), (key, root, compare), root, LOOKS | CHANGES,
             FILLS_OBJECT(root))
STATICS_CALL(void *, tfind, (const void *key, void *const *root, __compar_fn_t compare), (key, root, compare), root, LOOKS,
             TAKES_OBJECT(root))
STATICS_CALL(void *, tdelete, (const void *restrict key, void **restrict root, __compar_fn_t compare), (key, root, compare), root,
             LOOKS | CHANGES, FILLS_OBJECT(root))
STATICS_CALL(void *, lsearch, (const void *key, void *base, size_t *count, size_t width, __compar_fn_t compare),
             (key, base, count, width, compare), base, LOOKS | CHANGES, FILLS_OBJECT(count))
STATICS_CALL(void *, lfind, (const void *key, const void *base, size_t *count, size_t width, __compar_fn_t compare),
             (key, base, count, width, compare), base, LOOKS, TAKES_OBJECT(count))
STATICS_CALL(void, insque, (void *element, void *before), (element, before), 1, LOOKS | CHANGES,
             tell_inserted(element, before, site))
STATICS_CALL(void, remque, (void *element), (element), 1, LOOKS | CHANGES, tell_removed(element, site))
STATICS_CALL(int, hcreate_r, (size_t room, struct hsearch_data *table), (room, table), table, LOOKS | CHANGES,
             FILLS_OBJECT(table))
STATICS_CALL(void, hdestroy_r, (struct hsearch_data * table), (table), table, LOOKS | CHANGES, FILLS_OBJECT(table))
STATICS_CALL(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY **found, struct hsearch_data *table),
             (entry, action, found, table), table, action == ENTER ? LOOKS | CHANGES : LOOKS, TAKES_OBJECT(table),
             FILLS_OBJECT(found))

/* States of conversions: without one, libc's own. */
STATICS_CALL(size_t, iconv,
             (iconv_t conversion, char **restrict from, size_t *restrict left, char **restrict to, size_t *restrict room),
             (conversion, from, left, to, room), conversion, LOOKS | CHANGES, tell_conversion(from, left, to, room, site))
STATICS_CALL(size_t, mbrtowc, (wchar_t *restrict letter, const char *restrict text, size_t most, mbstate_t *restrict state),
             (letter, text, most, state), state, LOOKS | CHANGES, FILLS_OBJECT(letter), FILLS_OBJECT(state),
             bpor_told_read(text, text ? strnlen(text, most) : 0, site))
STATICS_CALL(size_t, mbrlen, (const char *restrict text, size_t most, mbstate_t *restrict state), (text, most, state), state,
             LOOKS | CHANGES, FILLS_OBJECT(state), bpor_told_read(text, text ? strnlen(text, most) : 0, site))
STATICS_CALL(size_t, wcrtomb, (char *restrict text, wchar_t letter, mbstate_t *restrict state), (text, letter, state), state,
             LOOKS | CHANGES, FILLS_OBJECT(text), FILLS_OBJECT(state))
STATICS_CALL(size_t, mbsrtowcs, (wchar_t *restrict to, const char **restrict from, size_t room, mbstate_t *restrict state),
             (to, from, room, state), state, LOOKS | CHANGES, FILLS_OBJECT(from), FILLS_OBJECT(state),
             bpor_told_text(*from, site))
STATICS_CALL(size_t, wcsrtombs, (char *restrict to, const wchar_t **restrict from, size_t room, mbstate_t *restrict state),
             (to, from, room, state), state, LOOKS | CHANGES, FILLS_OBJECT(from), FILLS_OBJECT(state))

/* Random numbers from a state that the caller keeps. */
RANDOM_CALL(int, rand_r, (unsigned *seed), (seed), seed, FILLS_OBJECT(seed))
RANDOM_CALL(double, erand48, (unsigned short state[3]), (state), state, FILLS_STATE48)
RANDOM_CALL(long, nrand48, (unsigned short state[3]), (state), state, FILLS_STATE48)
RANDOM_CALL(long, jrand48, (unsigned short state[3]), (state), state, FILLS_STATE48)
RANDOM_CALL(int, random_r, (struct random_data *restrict state, int32_t *restrict number), (state, number), state,
            FILLS_OBJECT(state), FILLS_OBJECT(number))
RANDOM_CALL(int, srandom_r, (unsigned seed, struct random_data *state), (seed, state), state, FILLS_OBJECT(state))
RANDOM_CALL(int, initstate_r, (unsigned seed, char *restrict room, size_t bytes, struct random_data *restrict state),
            (seed, room, bytes, state), state, FILLS_OBJECT(state), bpor_told_fill(room, bytes, site))
RANDOM_CALL(int, setstate_r, (char *restrict room, struct random_data *restrict state), (room, state), state, FILLS_OBJECT(state))
RANDOM_CALL(int, drand48_r, (struct drand48_data *restrict state, double *restrict number), (state, number), state,
            FILLS_OBJECT(state), FILLS_OBJECT(number))
RANDOM_CALL(int, lrand48_r, (struct drand48_data *restrict state, long *restrict number), (state, number), state,
            FILLS_OBJECT(state), FILLS_OBJECT(number))
RANDOM_CALL(int, mrand48_r, (struct drand48_data *restrict state, long *restrict number), (state, number), state,
            FILLS_OBJECT(state), FILLS_OBJECT(number))
RANDOM_CALL(int, srand48_r, (long seed, struct drand48_data *state), (seed, state), state, FILLS_OBJECT(state))
