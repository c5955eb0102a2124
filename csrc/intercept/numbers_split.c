/* Functions that take a number apart, and write one part where their caller says. */
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
