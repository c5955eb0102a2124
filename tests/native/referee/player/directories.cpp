/* Directories: made, listed, walked, removed; the working one. */
#include "player.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

static std::string temporary()
{
    const char *directory = getenv("TMPDIR");
    return directory ? directory : "/tmp";
}

static uint64_t names_in(const std::string &path)
{
    DIR *directory = opendir(path.c_str());
    if (!directory)
        return errno;
    std::set<std::string> names;
    while (struct dirent *entry = readdir(directory))
        names.insert(entry->d_name);
    closedir(directory);
    uint64_t value = names.size();
    for (const std::string &name : names)
        value = mixed_bytes(value, name.data(), name.size());
    return value;
}

static uint64_t made(unsigned parameter)
{
    std::string path = temporary() + "/dir" + std::to_string(parameter % 3);
    uint64_t value = mkdir(path.c_str(), 0755) == 0 ? 1 : errno;
    close(open((path + "/file").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    return mixed(value, names_in(temporary()));
}

static uint64_t unmade(unsigned parameter)
{
    std::string path = temporary() + "/dir" + std::to_string(parameter % 3);
    uint64_t value = rmdir(path.c_str()) == 0 ? 1 : errno;
    value = mixed(value, unlink((path + "/file").c_str()) == 0 ? 1 : errno);
    return mixed(value, rmdir(path.c_str()) == 0 ? 1 : errno);
}

static uint64_t went_there(unsigned parameter)
{
    char here[4096];
    uint64_t value = getcwd(here, sizeof here) != nullptr && strcmp(here, "/usr") == 0;
    MUST(chdir(parameter % 2 ? "/usr" : "/") == 0);
    MUST(getcwd(here, sizeof here));
    return mixed_bytes(value, here, strlen(here));
}

static uint64_t temporary_one(unsigned)
{
    std::string pattern = temporary() + "/XXXXXX";
    MUST(mkdtemp(pattern.data()));
    uint64_t value = names_in(pattern);
    return mixed(value, rmdir(pattern.c_str()));
}

static thread_local uint64_t walked_over;

static int count(const char *, const struct stat *, int kind, struct FTW *where)
{
    walked_over += kind * 16 + where->level;
    return 0;
}

static uint64_t walked(unsigned)
{
    walked_over = 0;
    nftw(temporary().c_str(), count, 8, FTW_PHYS);
    return walked_over;
}

static uint64_t system_listed(unsigned)
{
    return names_in("/usr");
}

const Activity of_directories[] = {
    {"made", made, NAMES},
    {"unmade", unmade, NAMES},
    {"went_there", went_there, NAMES},
    {"temporary_one", temporary_one, NAMES},
    {"walked", walked, NAMES},
    {"system_listed", system_listed, NOTHING},
    {nullptr, nullptr, NOTHING},
};
