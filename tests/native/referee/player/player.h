/* A program that is its arguments: every word of them is an activity, `name.parameter`, of one of the families beside this file.
 *
 * An activity does what the code of real tests does between two synchronisation operations and returns a value that is a function
 * of the program and of the schedule: nothing of addresses, time or process numbers is in it. What belongs to the whole process
 * is used under the mutex of its resource, so that equivalent schedules give equal values. */
#pragma once
#include <cstdint>

enum Resource { NOTHING, NAMES, SETTINGS, SIGNALS, LIBRARIES, OBJECTS, RESOURCES };

struct Activity {
    const char *name;
    uint64_t (*run)(unsigned parameter);
    Resource resource;
};

/* One table per family; the last row has no name. */
extern const Activity of_heap[], of_mappings[], of_files[], of_channels[], of_directories[], of_settings[], of_signals[],
    of_jumps[], of_exceptions[], of_threads[], of_floats[], of_libraries[], of_objects[], of_processes[], of_tasks[], of_values[];

uint64_t mixed(uint64_t sum, uint64_t value);
uint64_t mixed_bytes(uint64_t sum, const void *bytes, unsigned long count);
int number_of_thread(); /* 0: main; the others in the order of the arguments, whoever runs first */
void perform(const char *words);
void add(uint64_t value); /* to this thread's sum */
void give(unsigned cell); /* this thread's sum into a shared one, under its mutex */
[[noreturn]] void fail(const char *what);

/* What cannot fail here on a sound machine did. */
#define MUST(condition) ((condition) ? (void)0 : fail(#condition))
