// Other programs run for real and are waited for: system, popen, posix_spawn and a pipe whose other end a child holds. They end by
// themselves.
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *lock_once(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void read_from_child(void)
{
    char *arguments[] = {"sh", "-c", "sleep 0.05; echo late", NULL}, text[16] = "", *environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    pid_t child;
    assert(pipe(ends) == 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    assert(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environment) == 0);
    posix_spawn_file_actions_destroy(&actions);
    assert(read(ends[0], text, sizeof text - 1) == 5 && strcmp(text, "late\n") == 0);
    assert(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
    pthread_t thread;
    char line[16] = "";
    pthread_create(&thread, NULL, lock_once, NULL);
    assert(system("exit 3") == 3 << 8);
    FILE *output = popen("echo hello", "r");
    assert(fgets(line, sizeof line, output) && strcmp(line, "hello\n") == 0);
    assert(pclose(output) == 0);
    read_from_child();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
