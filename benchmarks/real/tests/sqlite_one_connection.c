// Two threads share one serialised connection: each adds one row.
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>

static sqlite3 *base;

static void *writer(void *unused)
{
    assert(sqlite3_exec(base, "INSERT INTO t VALUES (1)", NULL, NULL, NULL) == SQLITE_OK);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(sqlite3_open_v2(":memory:", &base, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, NULL) ==
           SQLITE_OK);
    assert(sqlite3_exec(base, "CREATE TABLE t (x)", NULL, NULL, NULL) == SQLITE_OK);
    assert(pthread_create(&thread, NULL, writer, NULL) == 0);
    writer(NULL);
    assert(pthread_join(thread, NULL) == 0);
    assert(sqlite3_total_changes(base) == 2);
    assert(sqlite3_close(base) == SQLITE_OK);
    return 0;
}
