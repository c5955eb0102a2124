/* _FORTIFY_SOURCE calls functions that gcc knows, and replaces by moves without a callback where it knows the number of bytes:
 * nobody would see that memory was set, or a text copied into it. Here the functions of libc are called that these stand for. */
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
#define BPOR_FORTIFIED(result, name, ...) extern result bpor_fortified_##name(__VA_ARGS__) __asm__("__" #name "_chk")
BPOR_FORTIFIED(void *, memcpy, void *, const void *, size_t, size_t);
BPOR_FORTIFIED(void *, memmove, void *, const void *, size_t, size_t);
BPOR_FORTIFIED(void *, mempcpy, void *, const void *, size_t, size_t);
BPOR_FORTIFIED(void *, memset, void *, int, size_t, size_t);
BPOR_FORTIFIED(char *, strcpy, char *, const char *, size_t);
BPOR_FORTIFIED(char *, stpcpy, char *, const char *, size_t);
BPOR_FORTIFIED(char *, strncpy, char *, const char *, size_t, size_t);
BPOR_FORTIFIED(char *, strcat, char *, const char *, size_t);
BPOR_FORTIFIED(char *, strncat, char *, const char *, size_t, size_t);
#undef BPOR_FORTIFIED
#ifdef __cplusplus
}
#endif
#define __builtin___memcpy_chk bpor_fortified_memcpy
#define __builtin___memmove_chk bpor_fortified_memmove
#define __builtin___mempcpy_chk bpor_fortified_mempcpy
#define __builtin___memset_chk bpor_fortified_memset
#define __builtin___strcpy_chk bpor_fortified_strcpy
#define __builtin___stpcpy_chk bpor_fortified_stpcpy
#define __builtin___strncpy_chk bpor_fortified_strncpy
#define __builtin___strcat_chk bpor_fortified_strcat
#define __builtin___strncat_chk bpor_fortified_strncat
#include_next <bits/string_fortified.h>
#undef __builtin___memcpy_chk
#undef __builtin___memmove_chk
#undef __builtin___mempcpy_chk
#undef __builtin___memset_chk
#undef __builtin___strcpy_chk
#undef __builtin___stpcpy_chk
#undef __builtin___strncpy_chk
#undef __builtin___strcat_chk
#undef __builtin___strncat_chk
