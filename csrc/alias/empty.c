/* libtsan.so.2 and libtsan.so.0, as far as the loader is concerned: a module that others built with -fsanitize=thread asks for
 * one of them by name, gets this one because it is loaded already, and finds its callbacks in libbpor.so. The real one is never
 * mapped. */
typedef int bpor_alias_is_empty;
