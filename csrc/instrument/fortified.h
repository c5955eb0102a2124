/* Functions of libc that no header declares: the compiler's headers put them in the place of others (_FORTIFY_SOURCE). */
#ifndef BPOR_FORTIFIED_H
#define BPOR_FORTIFIED_H
#include <stddef.h>

char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t bytes, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t bytes, size_t room);
void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t room);
void *__memset_chk(void *to, int value, size_t bytes, size_t room);
char *__strdup(const char *text);
#endif
