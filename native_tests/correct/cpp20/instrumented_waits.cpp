// std::latch, std::barrier and std::counting_semaphore, instrumented: what they order is no race. The barrier is made at run time: one
// that the compiler initialises gets its memory at the first arrival in libstdc++ 16, and whoever comes second finds it by a relaxed
// load, which is a race in the standard's terms.
// compiler: bpor
// flags: -std=gnu++20
// with WHICH=0, bound fair:2,preemption:1: pass
// with WHICH=1, bound fair:2,preemption:1: pass, slow
// with WHICH=2, bound fair:2,preemption:1: pass
#include <barrier>
#include <cstdlib>
#include <latch>
#include <semaphore>
#include <thread>

#ifndef WHICH
#define WHICH 0
#endif

static std::latch latch{1};
static int threads = 2;
static std::barrier<> both{threads};
static std::counting_semaphore<4> permits{0};
static int data;

static void give()
{
    if (WHICH == 0)
        latch.count_down();
    else if (WHICH == 1)
        both.arrive_and_wait();
    else
        permits.release();
}

static void take()
{
    if (WHICH == 0)
        latch.wait();
    else if (WHICH == 1)
        both.arrive_and_wait();
    else
        permits.acquire();
}

int main()
{
    std::thread reader([] {
        take();
        if (data != 7)
            std::abort();
    });
    data = 7;
    give();
    reader.join();
}
