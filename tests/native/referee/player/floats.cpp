/* Floating-point state: each thread has its own rounding, flags and precision, and they stay when others run. */
#include "player.h"
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <xmmintrin.h>

static uint64_t bits(double value)
{
    uint64_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static const int roundings[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static uint64_t third()
{
    volatile double one = 1, three = 3;
    volatile long double long_one = 1, long_three = 3;
    double quotient = one / three;
    return mixed(bits(quotient), bits(static_cast<double>(long_one / long_three)));
}

/* From now on. */
static uint64_t rounded(unsigned parameter)
{
    uint64_t value = mixed(fegetround(), third());
    fesetround(roundings[parameter % 4]);
    return mixed(value, third());
}

static uint64_t computed(unsigned parameter)
{
    volatile double x = parameter / 7.0;
    return mixed(third(), mixed(bits(sqrt(x)), static_cast<uint64_t>(lrint(x * 10))));
}

static uint64_t flags(unsigned parameter)
{
    uint64_t value = fetestexcept(FE_ALL_EXCEPT);
    if (parameter % 3 == 0)
        feclearexcept(FE_ALL_EXCEPT);
    else
        feraiseexcept(parameter % 3 == 1 ? FE_OVERFLOW : FE_INVALID);
    return value;
}

static uint64_t flushed(unsigned parameter)
{
    volatile float tiny = 1e-38f, smaller = tiny / 100;
    uint64_t value = smaller != 0;
    _MM_SET_FLUSH_ZERO_MODE(parameter % 2 ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
    smaller = tiny / 100;
    return mixed(value, smaller != 0);
}

static uint64_t precision(unsigned parameter)
{
    unsigned short control, other;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    other = (control & ~0x300) | (parameter % 2 ? 0x300 : 0x200);
    __asm__ volatile("fldcw %0" : : "m"(other));
    return mixed(control, third());
}

static uint64_t shown(unsigned parameter)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.17g %a", parameter / 3.0, static_cast<double>(parameter));
    return mixed_bytes(length, text, length);
}

static uint64_t whole_state(unsigned parameter)
{
    fenv_t saved;
    feholdexcept(&saved);
    uint64_t value = third();
    fesetround(roundings[parameter % 4]);
    value = mixed(value, third());
    fesetenv(&saved);
    return mixed(value, third());
}

const Activity of_floats[] = {
    {"rounded", rounded, NOTHING},         {"computed", computed, NOTHING},   {"flags", flags, NOTHING},
    {"flushed", flushed, NOTHING},         {"precision", precision, NOTHING}, {"shown", shown, NOTHING},
    {"whole_state", whole_state, NOTHING}, {nullptr, nullptr, NOTHING},
};
