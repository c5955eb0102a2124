/* Interprets a process tree, argv[1]: each process does what its letters say, in order, and ends with a status.
 *
 *   g  two threads            b  two threads, of which one update may be lost: status 1       d  two threads that may deadlock
 *   1  status |= 2            q  leaves by _exit
 *   w(..) a child, waited for; its status is added     i(..) likewise, its status is ignored     c(..) waited for at the end
 *   o(..) an orphan           x(..) a child that executes this program anew     p(..) likewise, by posix_spawn
 *   e(..) goes on as this program executed anew */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static char kind;

static void *body(void *which)
{
    pthread_mutex_t *outer = kind == 'd' && which ? &second : &first, *inner = outer == &first ? &second : &first;
    pthread_mutex_lock(outer);
    int seen = hits;
    if (kind == 'b') {
        pthread_mutex_unlock(outer);
        pthread_mutex_lock(outer);
    }
    pthread_mutex_lock(inner);
    hits = seen + 1;
    pthread_mutex_unlock(inner);
    pthread_mutex_unlock(outer);
    return NULL;
}

static int threads(char which)
{
    pthread_t one, two;
    kind = which;
    hits = 0;
    pthread_create(&one, NULL, body, NULL);
    pthread_create(&two, NULL, body, &hits);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return hits != 2;
}

/* The end of what begins behind a bracket. */
static const char *closing(const char *at)
{
    for (int depth = 1;; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at;
    }
}

static int status_of(pid_t child)
{
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static const char *program;

__attribute__((noreturn)) static void run(const char *tree);

static void execute(char *tree)
{
    char *arguments[] = {(char *)program, tree, NULL};
    execv(program, arguments);
    abort();
}

static pid_t spawned(char *tree)
{
    char *arguments[] = {(char *)program, tree, NULL};
    pid_t child;
    return posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0 ? child : -1;
}

static pid_t started(char how, char *tree)
{
    if (how == 'p')
        return spawned(tree);
    pid_t child = fork();
    if (child == 0 && how == 'o' && fork() != 0)
        _exit(0);
    if (child == 0 && how == 'x')
        execute(tree);
    if (child == 0)
        run(tree);
    return child;
}

static void run(const char *tree)
{
    pid_t later[16];
    int status = 0, waiting = 0;
    bool at_once = false;
    for (const char *at = tree; *at; at++) {
        if (strchr("gbd", *at))
            status |= threads(*at);
        else if (*at == '1')
            status |= 2;
        else if (*at == 'q')
            at_once = true;
        else {
            const char *end = closing(at + 2);
            char *inner = strndup(at + 2, (size_t)(end - at - 2));
            if (*at == 'e')
                execute(inner);
            pid_t child = started(*at, inner);
            if (*at == 'c')
                later[waiting++] = child;
            else
                status |= status_of(child) * (*at != 'i');
            at = end;
        }
    }
    for (int i = 0; i < waiting; i++)
        status |= status_of(later[i]);
    if (at_once)
        _exit(status);
    exit(status);
}

int main(int argc, char **argv)
{
    program = argv[0];
    run(argc > 1 ? argv[1] : "");
}
