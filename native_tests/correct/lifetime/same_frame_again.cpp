// Objects of every kind at the same place, one after the other: a stack frame that is entered again, and memory that is used
// again by plain writes, without a call that would tell.
// bound preemption:0..1: pass
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>

alignas(64) static char place[128];

static void with_pthreads()
{
    auto *lock = new (place) pthread_mutex_t;
    pthread_mutex_init(lock, nullptr);
    std::thread other([&] { pthread_mutex_lock(lock), pthread_mutex_unlock(lock); });
    other.join();
    pthread_mutex_destroy(lock);
    auto *wake = new (place) pthread_cond_t;
    pthread_cond_init(wake, nullptr);
    pthread_cond_destroy(wake);
    auto *room = new (place) pthread_rwlock_t;
    pthread_rwlock_init(room, nullptr);
    pthread_rwlock_destroy(room);
}

static void with_classes()
{
    auto *lock = new (place) std::mutex;
    std::thread other([&] { std::lock_guard hold(*lock); });
    {
        std::lock_guard hold(*lock);
    }
    other.join();
    auto *wake = new (place) std::condition_variable;
    wake->notify_all();
    wake->~condition_variable();
    auto *room = new (place) std::shared_mutex;
    room->lock_shared();
    room->unlock_shared();
    room->~shared_mutex();
}

static int frame(int round)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
    std::thread other([&] { pthread_mutex_lock(&lock), pthread_cond_signal(&wake), pthread_mutex_unlock(&lock); });
    other.join();
    pthread_mutex_destroy(&lock);
    pthread_cond_destroy(&wake);
    return round;
}

int main()
{
    with_pthreads();
    with_classes();
    with_pthreads();
    return frame(1) + frame(-1);
}
