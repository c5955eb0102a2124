// LevelDB: two threads put a key each into one database.
#include <cassert>
#include <cstdlib>
#include <leveldb/db.h>
#include <thread>

int main()
{
    char place[] = "/tmp/leveldb-XXXXXX";
    leveldb::DB *base;
    leveldb::Options options;
    options.create_if_missing = true;
    assert(mkdtemp(place) != nullptr);
    assert(leveldb::DB::Open(options, place, &base).ok());
    std::thread other([&] { assert(base->Put(leveldb::WriteOptions(), "1", "one").ok()); });
    assert(base->Put(leveldb::WriteOptions(), "2", "two").ok());
    other.join();
    std::string one, two;
    assert(base->Get(leveldb::ReadOptions(), "1", &one).ok() && one == "one");
    assert(base->Get(leveldb::ReadOptions(), "2", &two).ok() && two == "two");
    delete base;
    return 0;
}
