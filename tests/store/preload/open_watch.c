/* SPDX-License-Identifier: Apache-2.0 */
/* Loaded into a program ahead of the C library (LD_PRELOAD): notes who opens files of databases.
 * For each of x.db, x.db-wal, x.db-shm and x.db-journal that is opened it adds a line to the file
 * that OPEN_WATCH names: the shared object from which the call came, and the path. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*open_t)(const char *path, int flags, ...);
typedef int (*open_at_t)(int folder, const char *path, int flags, ...);
typedef FILE *(*fopen_t)(const char *path, const char *mode);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static bool is_of_database(const char *path) {
  static const char *const endings[] = {".db", ".db-wal", ".db-shm", ".db-journal"};
  size_t size = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t length = strlen(endings[i]);
    if (size >= length && strcmp(path + size - length, endings[i]) == 0) return true;
  }
  return false;
}

/* `caller` is a return address. */
static void note(const char *path, void *caller) {
  const char *log = getenv("OPEN_WATCH");
  Dl_info object;
  if (log == NULL || !is_of_database(path)) return;
  if (dladdr(caller, &object) == 0) object.dli_fname = "unknown";
  char line[4096];
  int size = snprintf(line, sizeof line, "%s %s\n", object.dli_fname, path);
  int file = ((open_t)next("open"))(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || size >= (int)sizeof line || write(file, line, (size_t)size) != size) abort();
  close(file);
}

#define WATCH_OPEN(name)                             \
  int name(const char *path, int flags, ...);        \
  int name(const char *path, int flags, ...) {       \
    va_list arguments;                               \
    va_start(arguments, flags);                      \
    mode_t mode = va_arg(arguments, mode_t);         \
    va_end(arguments);                               \
    note(path, __builtin_return_address(0));         \
    return ((open_t)next(#name))(path, flags, mode); \
  }
WATCH_OPEN(open)
WATCH_OPEN(open64)

#define WATCH_OPEN_AT(name)                                     \
  int name(int folder, const char *path, int flags, ...);       \
  int name(int folder, const char *path, int flags, ...) {      \
    va_list arguments;                                          \
    va_start(arguments, flags);                                 \
    mode_t mode = va_arg(arguments, mode_t);                    \
    va_end(arguments);                                          \
    note(path, __builtin_return_address(0));                    \
    return ((open_at_t)next(#name))(folder, path, flags, mode); \
  }
WATCH_OPEN_AT(openat)
WATCH_OPEN_AT(openat64)

#define WATCH_FOPEN(name)                          \
  FILE *name(const char *path, const char *mode);  \
  FILE *name(const char *path, const char *mode) { \
    note(path, __builtin_return_address(0));       \
    return ((fopen_t)next(#name))(path, mode);     \
  }
WATCH_FOPEN(fopen)
WATCH_FOPEN(fopen64)
