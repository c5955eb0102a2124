// mutex.c in Relacy's types.
#include <relacy/relacy.hpp>

struct Mutex : rl::test_suite<Mutex, THREADS> {
    rl::mutex mutex;
    rl::var<int> counter;

    void before()
    {
        counter($) = 0;
    }

    void thread(unsigned)
    {
        for (int i = 0; i < ROUNDS; i++) {
            mutex.lock($);
            counter($) = counter($) + 1;
            mutex.unlock($);
        }
    }
};
using Test = Mutex;
#include "search.hpp"
