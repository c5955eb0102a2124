// pthread_exit unwinds: objects on the stack are destroyed and catch (...) is passed; then thread_local ones, then keys.
// bound none: pass, traces 2
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <string>

static std::mutex mutex;
static thread_local std::string *order;
static pthread_key_t key;

struct Noted {
    char letter;
    ~Noted()
    {
        *order += letter;
    }
};

static thread_local Noted at_the_end{'t'};

static void last(void *value)
{
    assert(*static_cast<std::string *>(value) == "cbat");
    std::lock_guard<std::mutex> guard(mutex);
    delete static_cast<std::string *>(value);
}

static void leave()
{
    Noted here{'c'};
    pthread_exit(order);
}

static void *work(void *)
{
    order = new std::string;
    pthread_setspecific(key, order);
    assert(at_the_end.letter == 't');
    Noted outer{'a'};
    try {
        Noted inner{'b'};
        leave();
    } catch (...) {
        throw;
    }
    return nullptr;
}

int main()
{
    pthread_t thread[2];
    void *value;
    assert(pthread_key_create(&key, last) == 0);
    for (pthread_t &one : thread)
        assert(pthread_create(&one, nullptr, work, nullptr) == 0);
    for (pthread_t one : thread) {
        assert(pthread_join(one, &value) == 0);
        assert(value != nullptr);
    }
}
