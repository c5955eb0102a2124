/* Functions of numbers with two answers: one goes where their caller says, or into a variable of the library's. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <math.h>

#define SPLIT_CALL(number, name, type)                                                                                           \
    INTERCEPT number name(number value, type *part)                                                                              \
    {                                                                                                                            \
        bpor_told_fill(part, sizeof *part, CALL_SITE);                                                                           \
        return REAL(name)(value, part);                                                                                          \
    }

SPLIT_CALL(double, frexp, int)
SPLIT_CALL(float, frexpf, int)
SPLIT_CALL(double, modf, double)
SPLIT_CALL(float, modff, float)
SPLIT_CALL(long double, frexpl, int)
SPLIT_CALL(long double, modfl, long double)
SPLIT_CALL(double, lgamma_r, int)
SPLIT_CALL(float, lgammaf_r, int)

#define QUOTIENT_CALL(number, name)                                                                                              \
    INTERCEPT number name(number value, number divisor, int *quotient)                                                           \
    {                                                                                                                            \
        bpor_told_fill(quotient, sizeof *quotient, CALL_SITE);                                                                   \
        return REAL(name)(value, divisor, quotient);                                                                             \
    }

QUOTIENT_CALL(double, remquo)
QUOTIENT_CALL(float, remquof)

#define BOTH_CALL(number, name)                                                                                                  \
    INTERCEPT void name(number angle, number *sine, number *cosine)                                                              \
    {                                                                                                                            \
        bpor_told_fill(sine, sizeof *sine, CALL_SITE);                                                                           \
        bpor_told_fill(cosine, sizeof *cosine, CALL_SITE);                                                                       \
        REAL(name)(angle, sine, cosine);                                                                                         \
    }

BOTH_CALL(double, sincos)
BOTH_CALL(float, sincosf)

/* The sign of what it answers the logarithm of; NULL where no module has it. */
extern int signgam __attribute__((weak));

#define GAMMA_CALL(number, name)                                                                                                 \
    INTERCEPT number name(number value)                                                                                          \
    {                                                                                                                            \
        if (&signgam)                                                                                                            \
            bpor_told_locked_write(&signgam, sizeof signgam, CALL_SITE);                                                         \
        return REAL(name)(value);                                                                                                \
    }

GAMMA_CALL(double, lgamma)
GAMMA_CALL(float, lgammaf)
GAMMA_CALL(long double, lgammal)
GAMMA_CALL(double, gamma)
GAMMA_CALL(float, gammaf)
