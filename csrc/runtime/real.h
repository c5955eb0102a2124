/* The functions behind our interceptors: for each, the next definition after ours. It is resolved at its first use, and all of
 * them at the fork point. A constructor would be too early: a constructor of another library may take a lock before. */
#ifndef BPOR_REAL_H
#define BPOR_REAL_H

enum real_function {
#define FUNCTION(name, family) REAL_##name,
#include "protocol/intercepted.def"
#undef FUNCTION
    REAL_COUNT
};

void *bpor_real(enum real_function function);
void bpor_real_resolve_all(void);

#define REAL(name) ((__typeof__(&name))bpor_real(REAL_##name))
/* At an even address, as every compiler of C++ gives it to its own: a pointer to a member function that is odd means a virtual
 * one. */
#define INTERCEPT __attribute__((visibility("default"), aligned(2)))
/* The same function under a name that binaries of long ago were linked against. */
#define OLD_NAME(name) INTERCEPT extern __typeof__(name) __##name __attribute__((copy(name), alias(#name)))
#define CALL_SITE __builtin_return_address(0)
#endif
