// moodycamel's ReaderWriterQueue: two values from one thread to another.
#include <cassert>
#include <readerwriterqueue.h>
#include <thread>

int main()
{
    moodycamel::ReaderWriterQueue<int> queue(2);
    std::thread producer([&] { queue.enqueue(1), queue.enqueue(2); });
    int got, last = 0;
    for (int i = 0; i < 2; i++)
        if (queue.try_dequeue(got))
            assert(got == ++last);
    producer.join();
    return 0;
}
