/* Objects of the program that functions of libc read and write. Each counts as a piece of libc's static data, identified by its
 * address, because the accesses which the functions make to the memory behind it are not seen. */
#define _GNU_SOURCE
#include "intercept/state_call.h"
#include "runtime/runtime.h"
#include <iconv.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#define OBJECT_CALL(result, name, parameters, arguments, object, access)                                                         \
    PIECE_CALL(result, name, parameters, arguments, STATE_STATICS, (uintptr_t)(object), access)
#define RANDOM_CALL(result, name, parameters, arguments, object)                                                                 \
    PIECE_CALL(result, name, parameters, arguments, STATE_RANDOM, (uintptr_t)(object), LOOKS | CHANGES)

/* Trees by their root, arrays by their start; a list has no such place, so that all lists are one. */
OBJECT_CALL(void *, tsearch, (const void *key, void **root, __compar_fn_t compare), (key, root, compare), root, LOOKS | CHANGES)
OBJECT_CALL(void *, tfind, (const void *key, void *const *root, __compar_fn_t compare), (key, root, compare), root, LOOKS)
OBJECT_CALL(void *, tdelete, (const void *restrict key, void **restrict root, __compar_fn_t compare), (key, root, compare), root,
            LOOKS | CHANGES)
OBJECT_CALL(void *, lsearch, (const void *key, void *base, size_t *count, size_t width, __compar_fn_t compare),
            (key, base, count, width, compare), base, LOOKS | CHANGES)
OBJECT_CALL(void *, lfind, (const void *key, const void *base, size_t *count, size_t width, __compar_fn_t compare),
            (key, base, count, width, compare), base, LOOKS)
OBJECT_CALL(void, insque, (void *element, void *before), (element, before), 1, LOOKS | CHANGES)
OBJECT_CALL(void, remque, (void *element), (element), 1, LOOKS | CHANGES)
OBJECT_CALL(int, hcreate_r, (size_t room, struct hsearch_data *table), (room, table), table, LOOKS | CHANGES)
OBJECT_CALL(void, hdestroy_r, (struct hsearch_data * table), (table), table, LOOKS | CHANGES)
OBJECT_CALL(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY **found, struct hsearch_data *table),
            (entry, action, found, table), table, action == ENTER ? LOOKS | CHANGES : LOOKS)

/* States of conversions: without one, libc's own. */
OBJECT_CALL(size_t, iconv,
            (iconv_t conversion, char **restrict from, size_t *restrict left, char **restrict to, size_t *restrict room),
            (conversion, from, left, to, room), conversion, LOOKS | CHANGES)
OBJECT_CALL(size_t, mbrtowc, (wchar_t *restrict letter, const char *restrict text, size_t most, mbstate_t *restrict state),
            (letter, text, most, state), state, LOOKS | CHANGES)
OBJECT_CALL(size_t, mbrlen, (const char *restrict text, size_t most, mbstate_t *restrict state), (text, most, state), state,
            LOOKS | CHANGES)
OBJECT_CALL(size_t, wcrtomb, (char *restrict text, wchar_t letter, mbstate_t *restrict state), (text, letter, state), state,
            LOOKS | CHANGES)
OBJECT_CALL(size_t, mbsrtowcs, (wchar_t *restrict to, const char **restrict from, size_t room, mbstate_t *restrict state),
            (to, from, room, state), state, LOOKS | CHANGES)
OBJECT_CALL(size_t, wcsrtombs, (char *restrict to, const wchar_t **restrict from, size_t room, mbstate_t *restrict state),
            (to, from, room, state), state, LOOKS | CHANGES)

/* Random numbers from a state that the caller keeps. */
RANDOM_CALL(int, rand_r, (unsigned *seed), (seed), seed)
RANDOM_CALL(double, erand48, (unsigned short state[3]), (state), state)
RANDOM_CALL(long, nrand48, (unsigned short state[3]), (state), state)
RANDOM_CALL(long, jrand48, (unsigned short state[3]), (state), state)
RANDOM_CALL(int, random_r, (struct random_data *restrict state, int32_t *restrict number), (state, number), state)
RANDOM_CALL(int, srandom_r, (unsigned seed, struct random_data *state), (seed, state), state)
RANDOM_CALL(int, initstate_r, (unsigned seed, char *restrict room, size_t bytes, struct random_data *restrict state),
            (seed, room, bytes, state), state)
RANDOM_CALL(int, setstate_r, (char *restrict room, struct random_data *restrict state), (room, state), state)
RANDOM_CALL(int, drand48_r, (struct drand48_data *restrict state, double *restrict number), (state, number), state)
RANDOM_CALL(int, lrand48_r, (struct drand48_data *restrict state, long *restrict number), (state, number), state)
RANDOM_CALL(int, mrand48_r, (struct drand48_data *restrict state, long *restrict number), (state, number), state)
RANDOM_CALL(int, srand48_r, (long seed, struct drand48_data *state), (seed, state), state)
