/* Files of the test's own directory for temporary ones: written, read, moved, cut, locked, through descriptors and streams. */
#include "player.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static std::string named(const char *name, unsigned which)
{
    const char *directory = getenv("TMPDIR");
    return std::string(directory ? directory : "/tmp") + "/" + name + std::to_string(which);
}

static uint64_t content(const std::string &path)
{
    char text[4096];
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    ssize_t got = read(file, text, sizeof text);
    close(file);
    return mixed_bytes(got, text, got > 0 ? got : 0);
}

/* What one thread writes another may read: two names for all. */
static uint64_t appended(unsigned parameter)
{
    std::string path = named("log", parameter % 2);
    int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    MUST(file >= 0);
    std::string line = "line " + std::to_string(parameter) + "\n";
    MUST(write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    close(file);
    return content(path);
}

static uint64_t replaced(unsigned parameter)
{
    std::string path = named("log", parameter % 2), other = path + ".new";
    FILE *stream = fopen(other.c_str(), "we");
    MUST(stream);
    fprintf(stream, "%u of %s\n", parameter, "many");
    fclose(stream);
    MUST(rename(other.c_str(), path.c_str()) == 0);
    struct stat facts;
    MUST(stat(path.c_str(), &facts) == 0);
    return mixed(facts.st_size, facts.st_mode & 0777);
}

static uint64_t removed(unsigned parameter)
{
    return unlink(named("log", parameter % 2).c_str()) == 0 ? 1 : errno;
}

static uint64_t cut(unsigned parameter)
{
    std::string path = named("own", number_of_thread());
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    MUST(file >= 0);
    MUST(ftruncate(file, 10000 + parameter) == 0);
    MUST(pwrite(file, "abc", 3, parameter % 5000) == 3);
    MUST(ftruncate(file, 5001 + parameter % 3) == 0);
    uint64_t value = lseek(file, 0, SEEK_END);
    close(file);
    return mixed(value, unlink(path.c_str()));
}

static uint64_t one_offset_for_two(unsigned parameter)
{
    std::string path = named("own", number_of_thread());
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), copy = dup(file);
    MUST(copy >= 0);
    MUST(write(file, "0123456789", 10) == 10);
    uint64_t value = lseek(copy, 0, SEEK_CUR);
    lseek(copy, parameter % 10, SEEK_SET);
    char byte = 0;
    MUST(read(file, &byte, 1) == 1);
    value = mixed(value, byte);
    close(copy), close(file), unlink(path.c_str());
    return value;
}

static uint64_t nameless(unsigned parameter)
{
    FILE *stream = tmpfile();
    MUST(stream);
    for (unsigned i = 0; i < 5 + parameter % 200; i++)
        fprintf(stream, "%u %x\n", i, i * parameter);
    rewind(stream);
    char line[80];
    uint64_t value = 0;
    while (fgets(line, sizeof line, stream))
        value = mixed_bytes(value, line, strlen(line));
    fclose(stream);
    return value;
}

static uint64_t program_read(unsigned parameter)
{
    char bytes[64];
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    MUST(file >= 0 && pread(file, bytes, sizeof bytes, 0) == 64);
    lseek(file, parameter, SEEK_SET);
    uint64_t value = lseek(file, 1, SEEK_CUR);
    close(file);
    return mixed_bytes(value, bytes, 20);
}

/* The lowest free number, as the kernel promises. */
static uint64_t lowest_number(unsigned)
{
    int one = open("/dev/null", O_RDWR | O_CLOEXEC), two = dup(one);
    close(one);
    int three = dup(two);
    uint64_t value = three == one;
    close(two), close(three);
    return value;
}

static uint64_t nothing_there(unsigned)
{
    char bytes[16];
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    uint64_t value = read(file, bytes, sizeof bytes);
    close(file);
    return mixed_bytes(value, bytes, sizeof bytes) + access("/nowhere/at/all", R_OK);
}

static uint64_t claimed(unsigned parameter)
{
    std::string path = named("claim", parameter % 2);
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), other = open(path.c_str(), O_RDWR | O_CLOEXEC);
    MUST(file >= 0 && other >= 0);
    uint64_t value = flock(file, LOCK_EX | LOCK_NB) == 0 ? 1 : errno;
    value = mixed(value, flock(other, LOCK_EX | LOCK_NB) == 0 ? 1 : errno);
    close(file), close(other);
    return value;
}

static uint64_t permissions(unsigned parameter)
{
    std::string path = named("own", number_of_thread()), link = path + ".link";
    int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    MUST(file >= 0 && fchmod(file, 0600 + parameter % 64) == 0);
    struct stat facts;
    MUST(fstat(file, &facts) == 0);
    uint64_t value = facts.st_mode;
    value = mixed(value, ::link(path.c_str(), link.c_str()) == 0 && stat(path.c_str(), &facts) == 0 ? facts.st_nlink : 0);
    close(file), unlink(link.c_str()), unlink(path.c_str());
    return value;
}

static uint64_t pushed_back(unsigned parameter)
{
    char text[32] = "some words in memory", *grown = nullptr;
    size_t bytes = 0;
    FILE *in = fmemopen(text, strlen(text), "r"), *out = open_memstream(&grown, &bytes);
    MUST(in && out);
    for (int c; (c = fgetc(in)) != EOF;) {
        if (c == 'w' && parameter % 2)
            ungetc('v', in), parameter--;
        else
            fputc(c + 1, out);
    }
    fclose(in), fclose(out);
    uint64_t value = mixed_bytes(bytes, grown, bytes);
    free(grown);
    return value;
}

const Activity of_files[] = {
    {"appended", appended, NAMES},
    {"replaced", replaced, NAMES},
    {"removed", removed, NAMES},
    {"cut", cut, NAMES},
    {"one_offset_for_two", one_offset_for_two, NAMES},
    {"nameless", nameless, NAMES},
    {"program_read", program_read, NOTHING},
    {"lowest_number", lowest_number, NAMES},
    {"nothing_there", nothing_there, NOTHING},
    {"claimed", claimed, NAMES},
    {"permissions", permissions, NAMES},
    {"pushed_back", pushed_back, NOTHING},
    {nullptr, nullptr, NOTHING},
};
