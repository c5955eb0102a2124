/* Optional marks for a test program. Without bpor-native they are nothing: no library to link, no cost but a null check. */
#ifndef BPOR_NATIVE_H
#define BPOR_NATIVE_H
#ifdef __cplusplus
extern "C" {
#endif

extern void bpor_native_ready(void) __attribute__((weak));
extern void bpor_native_yield(void) __attribute__((weak));

/* "My set-up is done": with --fork-at ready, every execution begins here. */
static inline void bpor_ready(void)
{
    if (bpor_native_ready)
        bpor_native_ready();
}

/* "I am waiting for somebody else": a yield, for loops that wait in a way the tool cannot see. */
static inline void bpor_yield(void)
{
    if (bpor_native_yield)
        bpor_native_yield();
}

#ifdef __cplusplus
}
#endif
#endif
