/* Other processes: children that end, programs that are run. */
#include "player.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static uint64_t ended(pid_t child)
{
    int status = 0;
    MUST(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static uint64_t forked(unsigned parameter)
{
    pid_t child = fork();
    if (child == 0)
        _exit(parameter % 50);
    return ended(child);
}

static uint64_t spawned(unsigned)
{
    char name[] = "true";
    char *arguments[] = {name, nullptr};
    pid_t child;
    MUST(posix_spawnp(&child, name, nullptr, nullptr, arguments, environ) == 0);
    return ended(child);
}

static uint64_t of_shell(unsigned parameter)
{
    return system(parameter % 2 ? "exit 3" : "true");
}

static uint64_t output_of_shell(unsigned)
{
    char line[32] = {};
    FILE *stream = popen("echo words", "r");
    MUST(stream && fgets(line, sizeof line, stream));
    return mixed_bytes(pclose(stream), line, strlen(line));
}

const Activity of_processes[] = {
    {"forked", forked, NAMES},     {"spawned", spawned, NAMES},
    {"of_shell", of_shell, NAMES}, {"output_of_shell", output_of_shell, NAMES},
    {nullptr, nullptr, NOTHING},
};
