// Two connections to one database in memory, with a shared cache: each adds one row, and tries again while the table is locked.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>

#define NAME "file:shared?mode=memory&cache=shared"
#define HOW (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)

static void *writer(void *unused)
{
    sqlite3 *base;
    int outcome;
    assert(sqlite3_open_v2(NAME, &base, HOW, NULL) == SQLITE_OK);
    while ((outcome = sqlite3_exec(base, "INSERT INTO t VALUES (1)", NULL, NULL, NULL)) == SQLITE_LOCKED ||
           outcome == SQLITE_BUSY)
        sched_yield();
    assert(outcome == SQLITE_OK);
    assert(sqlite3_close(base) == SQLITE_OK);
    return unused;
}

static int one_number(void *number, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(int *)number = values[0][0] - '0';
    return 0;
}

int main(void)
{
    sqlite3 *base;
    pthread_t threads[2];
    int rows = 0;
    assert(sqlite3_open_v2(NAME, &base, HOW, NULL) == SQLITE_OK);
    assert(sqlite3_exec(base, "CREATE TABLE t (x)", NULL, NULL, NULL) == SQLITE_OK);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&threads[i], NULL, writer, NULL) == 0);
    for (int i = 0; i < 2; i++)
        assert(pthread_join(threads[i], NULL) == 0);
    assert(sqlite3_exec(base, "SELECT count(*) FROM t", one_number, &rows, NULL) == SQLITE_OK);
    assert(rows == 2);
    assert(sqlite3_close(base) == SQLITE_OK);
    return 0;
}
