/* The other processes of a program: those that it forks and the programs that it starts. Only one process, the controlled one,
 * may have threads; every other process is observed, or the verdict says that it was not.
 *
 * A program that is started takes a row of shared->started, which the runtime in it frees. A program that is static, of another
 * architecture or set-user-id never frees its row. */
#ifndef BPOR_FAMILY_H
#define BPOR_FAMILY_H
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stddef.h>

enum { NOT_STARTED = -1 };

/* What the environment tells a program that was started: the three descriptors, where else they are to be had, its row of
 * shared->started, and whether a process that is or was controlled started it. */
struct bpor_invitation {
    int shared;
    int plan;
    int events;
    int controller;
    int controller_shared;
    int row;
    int inside;
};

/* False: there is no controller, or it is out of reach. */
bool bpor_family_find(struct bpor_invitation *invitation, struct bpor_shared **shared);
struct bpor_shared *bpor_family_map(const struct bpor_invitation *invitation);
/* The process belongs to the controller's family from now on. */
void bpor_family_enter(struct bpor_shared *shared, const struct bpor_invitation *invitation);
/* The controller knows this process as the controlled one; false: another one is. */
bool bpor_family_claim(void);
/* Processes may make threads one after the other, each in its turn. A process that still runs keeps its turn. */
enum bpor_turn { BPOR_TURN_OF_ANOTHER, BPOR_TURN_CONTROLLED, BPOR_TURN_UNHEARD };
enum bpor_turn bpor_family_take_turn(void);
/* A mapping that nobody shares, for a process whose turn is not told. */
struct bpor_shared *bpor_family_own_shared(void);
/* Ends this process. A failure of one that is not told is told all the same. */
__attribute__((noreturn)) void bpor_family_turn_over(enum bpor_outcome outcome, int code, const char *message);
void bpor_family_name(char *name, size_t bytes);
/* Opens the controller's end of a pipe; `inherited` is what there is if that is not possible. */
int bpor_family_open(unsigned descriptor, int flags, int inherited);
/* Another process holds every channel's ends too. */
void bpor_family_shares_channels(void);
/* This process is a copy: it is watched, and no longer controlled. */
void bpor_family_copied(void);
/* This process makes threads while the controlled process has threads too. The call returns only if the user has said which
 * process is meant. */
void bpor_family_makes_threads(void);
__attribute__((noreturn)) void bpor_family_unseen(const char *deed);
bool bpor_family_is_watched(void);
/* A process that was started or forked from here still runs. */
bool bpor_family_child_lives(void);
/* One was, whether or not it still runs. */
bool bpor_family_had_children(void);
/* It has children, running or not waited for. */
bool bpor_family_has_children(void);
/* From now on this process is known from its copies: also from those that were made by a bare system call. */
void bpor_family_sign(void);
/* Ends a copy that believes to be controlled. */
void bpor_family_check(void);

/* For a program that is about to be started, with room for two texts and an array. */
struct bpor_letter {
    char invitation[128];
    char preload[12 << 10];
};
int bpor_family_start(const char *name);
void bpor_family_not_started(int row);
/* This process is about to be another program; or it is not, after all. */
void bpor_family_becomes(bool another);
size_t bpor_family_room(char *const *environment);
char **bpor_family_environment(char *const *environment, int row, char **room, struct bpor_letter *letter);
#endif
