// xenium: Ramalhete's queue with epochs.
#include <cassert>
#include <thread>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>

int main()
{
    using epochs = xenium::reclamation::epoch_based<>;
    xenium::ramalhete_queue<int *, xenium::policy::reclaimer<epochs>> queue;
    int numbers[2] = {1, 2}, last = 0, *got;
    std::thread one([&] {
        queue.push(&numbers[0]);
        queue.push(&numbers[1]);
    });
    if (queue.try_pop(got))
        assert(*got == ++last);
    one.join();
    while (queue.try_pop(got))
        assert(*got == ++last);
    assert(last == 2);
    return 0;
}
