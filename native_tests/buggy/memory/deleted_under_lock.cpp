// A std::mutex has no destructor that does anything: the only trace of its end is the delete. The worker drops its reference and
// then leaves the lock that lies in what main deletes.
// says: use after free: unlock on a mutex
// bound preemption:0: pass
// bound preemption:1: memory
#include <mutex>
#include <semaphore.h>
#include <thread>

struct Session {
    std::mutex lock;
};

int main()
{
    sem_t left;
    sem_init(&left, 0, 0);
    auto *session = new Session;
    std::thread worker([&] {
        session->lock.lock();
        sem_post(&left);
        session->lock.unlock();
    });
    sem_wait(&left);
    delete session;
    worker.join();
    sem_destroy(&left);
}
