// One thread writes two keys in a transaction; another reads them and sees both or none.
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static MDB_env *environment;
static MDB_dbi base;

static void *writer(void *unused)
{
    MDB_txn *transaction;
    MDB_val one = {1, "1"}, two = {1, "2"}, value = {1, "v"};
    assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
    assert(mdb_put(transaction, base, &one, &value, 0) == 0);
    assert(mdb_put(transaction, base, &two, &value, 0) == 0);
    assert(mdb_txn_commit(transaction) == 0);
    return unused;
}

int main(void)
{
    char place[] = "/tmp/lmdb-XXXXXX";
    MDB_txn *transaction;
    MDB_val one = {1, "1"}, two = {1, "2"}, value;
    pthread_t thread;
    assert(mkdtemp(place) != NULL);
    assert(mdb_env_create(&environment) == 0);
    assert(mdb_env_set_mapsize(environment, 65536) == 0);
    assert(mdb_env_open(environment, place, MDB_NOSYNC, 0600) == 0);
    assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
    assert(mdb_dbi_open(transaction, NULL, 0, &base) == 0);
    assert(mdb_txn_commit(transaction) == 0);
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    assert(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction) == 0);
    int first = mdb_get(transaction, base, &one, &value), second = mdb_get(transaction, base, &two, &value);
    assert(first == second);
    mdb_txn_abort(transaction);
    assert(pthread_join(thread, NULL) == 0);
    mdb_env_close(environment);
    return 0;
}
