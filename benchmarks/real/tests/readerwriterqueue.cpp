// moodycamel's ReaderWriterQueue: one producer, one consumer, and a block that has to be added.
#include <cassert>
#include <readerwriterqueue/readerwriterqueue.h>
#include <thread>

int main()
{
    moodycamel::ReaderWriterQueue<int, 2> queue(1);
    int got, last = 0;
    std::thread one([&] {
        for (int i = 1; i <= 3; i++)
            assert(queue.enqueue(i));
    });
    for (int i = 0; i < 2; i++)
        if (queue.try_dequeue(got))
            assert(got == ++last);
    one.join();
    while (queue.try_dequeue(got))
        assert(got == ++last);
    assert(last == 3);
    return 0;
}
