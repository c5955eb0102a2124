/* The effect of copies, in one place for all functions that copy. */
#ifndef BPOR_TSAN_STRING_H
#define BPOR_TSAN_STRING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHOLE_TEXT ((size_t)PTRDIFF_MAX)

/* Tell the accesses and do them. */
void *bpor_string_copy(void *to, const void *from, size_t bytes, const void *site);
void *bpor_string_fill(void *to, int value, size_t bytes, const void *site);
/* Bytes that are written in a step of their own, a multiple of eight: others look at them. 0: all at once. */
size_t bpor_string_first_half(const void *to, size_t bytes);
/* Such a place is shared, and explored. */
bool bpor_string_others_look(const void *address, size_t bytes);
/* Tell them only. `most` bytes of the text are looked at; as many are written, or all of a field, or an end behind them. */
void bpor_string_copy_text(char *to, const char *from, size_t most, size_t field, const void *site);
void bpor_string_append(char *to, const char *from, size_t most, const void *site);
#endif
