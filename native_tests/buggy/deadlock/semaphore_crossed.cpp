// Two permits of one each, acquired in opposite orders. A thread has its first and is left; the other takes its own first, and each waits
// for ever. One preemption, between a thread's two acquires; without it the first thread gives both back before the second begins.
// compiler: bpor
// flags: -std=gnu++20
// bound preemption:0: pass
// bound preemption:1: deadlock
#include <semaphore>
#include <thread>

static std::counting_semaphore<1> one{1}, other{1};

static void both(std::counting_semaphore<1> &first, std::counting_semaphore<1> &second)
{
    first.acquire();
    second.acquire();
    second.release();
    first.release();
}

int main()
{
    std::thread left([] { both(one, other); }), right([] { both(other, one); });
    left.join();
    right.join();
}
