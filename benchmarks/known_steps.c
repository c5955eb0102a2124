/* The programs of benchmarks/known_steps.py: known_steps NAME THREADS. Every shared access is an operation: a lock, or an atomic.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, TABLE = 128, BLOCKS = 26, PUTS = 2, STEALS = 2 };
static int threads;
static pthread_mutex_t lock[MOST], block_lock[BLOCKS];
static atomic_int cell[TABLE], inode[MOST], block[BLOCKS], head, tail;

static void eat(int first, int second)
{
    pthread_mutex_lock(&lock[first]);
    pthread_mutex_lock(&lock[second]);
    pthread_mutex_unlock(&lock[second]);
    pthread_mutex_unlock(&lock[first]);
}

static void philosopher(int left)
{
    eat(left, (left + 1) % threads);
}

static void ordered_philosopher(int left)
{
    int right = (left + 1) % threads;
    eat(left < right ? left : right, left < right ? right : left);
}

static void counter(int number)
{
    (void)number;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock[0]);
        atomic_store(&cell[0], atomic_load(&cell[0]) + 1);
        pthread_mutex_unlock(&lock[0]);
    }
}

static void lost_update(int number)
{
    (void)number;
    for (int i = 0; i < 2; i++)
        atomic_store(&cell[0], atomic_load(&cell[0]) + 1);
}

static void readers(int number)
{
    if (number == 0) {
        atomic_store(&cell[0], 1);
        atomic_store(&cell[1], 1);
    } else {
        atomic_load(&cell[0]);
        atomic_load(&cell[1]);
    }
}

static void last_zero(int number)
{
    if (number > 0) {
        atomic_store(&cell[number], atomic_load(&cell[number - 1]) + 1);
        return;
    }
    for (int i = threads - 1; i >= 0 && atomic_load(&cell[i]) != 0; i--)
        ;
}

static void owner(void)
{
    for (int i = 0; i < PUTS; i++) {
        atomic_store(&cell[i], i + 1);
        atomic_store(&tail, i + 1);
    }
    for (int i = 0; i < PUTS; i++) {
        atomic_store(&tail, PUTS - i - 1);
        if (atomic_load(&head) != 0) {
            pthread_mutex_lock(&lock[0]);
            atomic_load(&head);
            atomic_store(&tail, PUTS - i);
            pthread_mutex_unlock(&lock[0]);
        }
        atomic_load(&cell[i]);
    }
}

static void work_stealing(int number)
{
    if (number == 0) {
        owner();
        return;
    }
    for (int i = 0; i < STEALS; i++) {
        pthread_mutex_lock(&lock[0]);
        atomic_fetch_add(&head, 1);
        if (atomic_load(&tail) == 0)
            atomic_store(&head, 0);
        else
            atomic_load(&cell[i]);
        pthread_mutex_unlock(&lock[0]);
    }
}

static void indexer(int number)
{
    for (int message = 1; message <= 4; message++) {
        int word = 11 * message + number, slot = 7 * word % TABLE, nothing = 0;
        while (!atomic_compare_exchange_strong(&cell[slot], &nothing, word)) {
            nothing = 0;
            slot = (slot + 1) % TABLE;
        }
    }
}

static void file_system(int number)
{
    int at = number * 2 % BLOCKS;
    pthread_mutex_lock(&lock[number]);
    for (int i = 0; i < 3 && atomic_load(&inode[number]) == 0; i++, at = (at + 1) % BLOCKS) {
        pthread_mutex_lock(&block_lock[at]);
        if (atomic_load(&block[at]) == 0) {
            atomic_store(&block[at], 1);
            atomic_store(&inode[number], at + 1);
        }
        pthread_mutex_unlock(&block_lock[at]);
    }
    pthread_mutex_unlock(&lock[number]);
}

/* Some five milliseconds of work between two operations. */
static void computing(int number)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock[i]);
        pthread_mutex_unlock(&lock[i]);
        for (volatile int work = 0; work < 10000000; work++)
            number += work;
    }
}

static const struct {
    const char *name;
    void (*body)(int number);
} programs[] = {
    {"philosophers", philosopher},
    {"ordered-philosophers", ordered_philosopher},
    {"counter", counter},
    {"lost-update", lost_update},
    {"readers", readers},
    {"last-zero", last_zero},
    {"work-stealing", work_stealing},
    {"indexer", indexer},
    {"file-system", file_system},
    {"computing", computing},
};

static void (*body)(int number);

static void *run(void *number)
{
    body((int)(long)number);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST];
    threads = argc > 2 ? atoi(argv[2]) : 0;
    for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (argc > 2 && strcmp(programs[i].name, argv[1]) == 0)
            body = programs[i].body;
    if (!body || threads < 2 || threads > MOST)
        return 2;
    for (int i = 0; i < MOST; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&block_lock[i], NULL);
    for (long i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, run, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
