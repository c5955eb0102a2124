// trivial.c in Relacy's types.
#include <relacy/relacy.hpp>

struct Trivial : rl::test_suite<Trivial, 1> {
    void thread(unsigned)
    {
    }
};
using Test = Trivial;
#include "search.hpp"
