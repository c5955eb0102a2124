/* player BEFORE FIRST LAST THREAD...: words performed before main, by main before and after the threads, and by each thread.
 *
 * Words of synchronisation are here; all others are looked up in the families. The sums of the four cells are printed at the end,
 * and told by operations as well, so that a search that reads no output sees them too. */
#include "player.h"
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

enum { CELLS = 4, MOST = 64, TOLD = 16 };

static struct Cell {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    uint64_t sum = 0;
} cells[CELLS];
static pthread_mutex_t resources[RESOURCES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                               PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t held[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphores[2], told[TOLD];
static int tokens;
static thread_local int number;
static thread_local uint64_t sum, seen;

uint64_t mixed(uint64_t old, uint64_t value)
{
    old ^= value + 0x9E3779B97F4A7C15 + (old << 6) + (old >> 2);
    old *= 0xFF51AFD7ED558CCD;
    return old ^ old >> 32;
}

uint64_t mixed_bytes(uint64_t old, const void *bytes, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        old = mixed(old, static_cast<const unsigned char *>(bytes)[i]);
    return old;
}

int number_of_thread()
{
    return number;
}

void add(uint64_t value)
{
    sum = mixed(sum, value);
}

void fail(const char *what)
{
    fprintf(stderr, "player: %s\n", what);
    abort();
}

void give(unsigned which)
{
    Cell &cell = cells[which % CELLS];
    pthread_mutex_lock(&cell.mutex);
    seen = cell.sum = mixed(cell.sum, mixed(sum, number));
    pthread_mutex_unlock(&cell.mutex);
}

static void await()
{
    pthread_mutex_lock(&gate);
    while (tokens == 0)
        pthread_cond_wait(&opened, &gate);
    add(tokens--);
    pthread_mutex_unlock(&gate);
}

static void notify(bool all)
{
    pthread_mutex_lock(&gate);
    tokens++;
    (all ? pthread_cond_broadcast : pthread_cond_signal)(&opened);
    pthread_mutex_unlock(&gate);
}

static void look(bool write)
{
    (write ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&shared);
    static uint64_t value;
    if (write)
        value = mixed(value, number);
    add(value);
    pthread_rwlock_unlock(&shared);
}

static void try_lock(unsigned which)
{
    int error = pthread_mutex_trylock(&held[which % 2]);
    add(error);
    if (error == 0)
        pthread_mutex_unlock(&held[which % 2]);
}

/* Faults that some schedules have: what was seen last decides. */
static void go_wrong(unsigned how)
{
    if (seen % 4 != how % 4)
        return;
    switch (how / 4 % 6) {
    case 0:
        assert(!"the sum is not what it should be");
        break;
    case 1:
        *reinterpret_cast<volatile int *>(8) = 1;
        break;
    case 2:
        abort();
    case 3:
        exit(7);
    case 4:
        throw how;
    default:
        _exit(3);
    }
}

static bool synchronise(const char *word, unsigned parameter)
{
    auto is = [word](const char *name) { return strcmp(word, name) == 0; };
    if (is("give"))
        give(parameter);
    else if (is("lock"))
        pthread_mutex_lock(&held[parameter % 2]);
    else if (is("unlock"))
        pthread_mutex_unlock(&held[parameter % 2]);
    else if (is("try"))
        try_lock(parameter);
    else if (is("post"))
        sem_post(&semaphores[parameter % 2]);
    else if (is("wait"))
        sem_wait(&semaphores[parameter % 2]);
    else if (is("poll"))
        add(sem_trywait(&semaphores[parameter % 2]));
    else if (is("await"))
        await();
    else if (is("notify"))
        notify(parameter % 2);
    else if (is("look"))
        look(parameter % 2);
    else if (is("meet"))
        pthread_barrier_wait(&barrier);
    else if (is("yield"))
        sched_yield();
    else if (is("sleep"))
        usleep(parameter);
    else if (is("wrong"))
        go_wrong(parameter);
    else if (is("process_number"))
        add(getpid()); /* drawn by nobody: it shows that a difference is seen */
    else if (is("quit"))
        pthread_exit(nullptr);
    else
        return false;
    return true;
}

static const Activity *found(const char *word)
{
    static const Activity *const families[] = {of_heap,    of_mappings,  of_files,      of_channels, of_directories, of_settings,
                                               of_signals, of_jumps,     of_exceptions, of_threads,  of_floats,      of_libraries,
                                               of_objects, of_processes, of_tasks,      of_values};
    for (const Activity *family : families)
        for (const Activity *one = family; one->name; one++)
            if (strcmp(one->name, word) == 0)
                return one;
    fail(word);
}

/* What a thread has seen of the others changes what it does: another schedule touches other pages. */
static void act(const char *word, unsigned parameter)
{
    const Activity *activity = found(word);
    if (activity->resource)
        pthread_mutex_lock(&resources[activity->resource]);
    add(activity->run(parameter + seen % 4));
    if (activity->resource)
        pthread_mutex_unlock(&resources[activity->resource]);
}

void perform(const char *words)
{
    char copy[1024], *rest = copy;
    MUST(strlen(words) < sizeof copy);
    strcpy(copy, words);
    while (char *word = strsep(&rest, " ")) {
        if (!*word)
            continue;
        char *point = strchr(word, '.');
        unsigned parameter = point ? strtoul(point + 1, nullptr, 10) : 0;
        if (point)
            *point = 0;
        if (!synchronise(word, parameter))
            act(word, parameter);
    }
}

struct Part {
    int number;
    const char *words;
};

static void *run(void *argument)
{
    Part *part = static_cast<Part *>(argument);
    number = part->number;
    perform(part->words);
    give(number);
    return nullptr;
}

/* The sums, in output and in operations. */
static void tell()
{
    for (Cell &cell : cells) {
        pthread_mutex_lock(&cell.mutex);
        printf("%016lx\n", cell.sum);
        for (int shift = 0; shift < 12; shift += 4)
            sem_post(&told[cell.sum >> shift & 15]);
        pthread_mutex_unlock(&cell.mutex);
    }
}

__attribute__((constructor)) static void before(int argc, char **argv, char **)
{
    if (argc > 1)
        perform(argv[1]);
}

int main(int argc, char **argv)
{
    static Part parts[MOST];
    pthread_t threads[MOST];
    MUST(argc >= 4 && argc - 4 <= MOST);
    for (sem_t &one : semaphores)
        sem_init(&one, 0, 1);
    for (sem_t &one : told)
        sem_init(&one, 0, 0);
    pthread_barrier_init(&barrier, nullptr, argc > 5 ? argc - 4 : 1);
    perform(argv[2]);
    for (int i = 4; i < argc; i++) {
        parts[i - 4] = {i - 3, argv[i]};
        MUST(pthread_create(&threads[i - 4], nullptr, run, &parts[i - 4]) == 0);
    }
    for (int i = 4; i < argc; i++)
        pthread_join(threads[i - 4], nullptr);
    perform(argv[3]);
    give(0);
    tell();
    return 0;
}
