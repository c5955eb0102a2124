/* Something that outlives a process, made or changed in main (argv[1] says how); what main found of it first is printed. The files
 * `there`, `tree/inside` and the link `link` to `there` are in the working directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, long value)
{
    printf("%s %ld; ", what, value);
}

static void tell_contents(const char *path)
{
    char text[64] = "";
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, text, 63) < 0)
        exit(66);
    close(fd);
    printf("%s: %s; ", path, fd < 0 ? strerror(errno) : text);
}

static void append(const char *path)
{
    FILE *stream = fopen(path, "a");
    fprintf(stream, "+");
    fclose(stream);
    tell_contents(path);
}

static void append_new(void)
{
    append("new");
}

static void append_there(void)
{
    append("there");
}

static void append_through_link(void)
{
    append("link");
    tell_contents("there");
}

static void write_over(void)
{
    tell_contents("there");
    int fd = open("there", O_WRONLY | O_TRUNC);
    tell("wrote", write(fd, "other", 5));
}

static void make_once(void)
{
    int fd = open("new", O_CREAT | O_EXCL | O_WRONLY, 0600);
    tell("made", fd >= 0);
}

static void update(void)
{
    FILE *stream = fopen("there", "r+");
    int first = fgetc(stream);
    rewind(stream);
    fputc(first + 1, stream);
    fclose(stream);
    tell("first", first);
}

static void cut(void)
{
    struct stat facts;
    stat("there", &facts);
    tell("bytes", facts.st_size);
    tell("cut", truncate("there", 1));
}

static void change_mode(void)
{
    struct stat facts;
    stat("there", &facts);
    tell("mode", facts.st_mode & 0777);
    chmod("there", 0400);
}

static void remove_file(void)
{
    tell("removed", unlink("there"));
}

static void remove_link(void)
{
    tell("removed", unlink("link"));
}

static void rename_file(void)
{
    tell("renamed", rename("there", "elsewhere"));
    append("there");
    append("elsewhere");
}

static void rename_tree(void)
{
    tell("renamed", rename("tree", "forest"));
    append("forest/inside");
    tell("made", mkdir("tree", 0700));
}

static void make_tree(void)
{
    tell("made", mkdir("deep", 0700) | mkdir("deep/er", 0700));
    append("deep/er/file");
}

static void remove_tree(void)
{
    tell("removed", unlink("tree/inside") | rmdir("tree"));
}

static void link_file(void)
{
    tell("linked", link("there", "second") | symlink("there", "third"));
    append("second");
    tell_contents("third");
}

static void in_other_directory(void)
{
    tell("went", chdir("tree"));
    append("inside");
    int up = open("..", O_PATH);
    int fd = openat(up, "there", O_WRONLY | O_APPEND);
    tell("wrote", write(fd, "x", 1));
    tell_contents("../there");
}

static void temporary(void)
{
    char path[] = "./tmp-XXXXXX";
    tell("made", mkstemp(path) >= 0);
    tell("listed", system("ls -1 | grep -c tmp-"));
}

static void shared_memory(void)
{
    int fd = shm_open(getenv("MEMORY_NAME"), O_RDWR | O_CREAT, 0600);
    tell("sized", ftruncate(fd, 4096));
    int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    tell("found", ++*word);
}

static void system_v(void)
{
    int id = shmget(atoi(getenv("MEMORY_KEY")), 4096, IPC_CREAT | 0600);
    int *word = shmat(id, NULL, 0);
    tell("found", ++*word);
}

static void socket_name(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    tell("bound", bind(fd, (struct sockaddr *)&address, sizeof address));
}

static void fifo(void)
{
    tell("made", mkfifo("fifo", 0600));
}

static void in_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        FILE *stream = fopen("there", "a");
        fprintf(stream, "child");
        fclose(stream);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    tell_contents("there");
}

static void before_main(void)
{
}

static void killed(void)
{
    append("there");
    fflush(stdout);
    raise(SIGKILL);
}

static const struct row {
    const char *name;
    void (*use)(void);
} row[] = {
    {"new-file", append_new},
    {"file", append_there},
    {"file-through-link", append_through_link},
    {"file-written-over", write_over},
    {"file-made-once", make_once},
    {"file-updated", update},
    {"file-cut", cut},
    {"mode", change_mode},
    {"removed", remove_file},
    {"link-removed", remove_link},
    {"renamed", rename_file},
    {"tree-renamed", rename_tree},
    {"tree-made", make_tree},
    {"tree-removed", remove_tree},
    {"linked", link_file},
    {"other-directory", in_other_directory},
    {"temporary", temporary},
    {"posix-memory", shared_memory},
    {"system-v-memory", system_v},
    {"socket", socket_name},
    {"fifo", fifo},
    {"child", in_child},
    {"killed", killed},
    {"before-main", before_main},
};

__attribute__((constructor)) static void prepare(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "before-main") == 0)
        append("there");
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *thread(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t beside;
    for (size_t i = 0; argc > 1 && i < sizeof row / sizeof row[0]; i++)
        if (strcmp(row[i].name, argv[1]) == 0)
            row[i].use();
    pthread_create(&beside, NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(beside, NULL);
    return 0;
}
