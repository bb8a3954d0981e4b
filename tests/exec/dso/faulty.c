/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that does one thing wrong: its options say where and what, "execute:crash".  What it
 * does when it is loaded and asked for its table, the variables FAULTY_LOAD and FAULTY_QUERY say.
 */
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "tests/exec/dso/backend.h"

enum { DESCRIPTORS_TRIED = 64, CHILDREN = 10, SELDOM = 50, FAR = 5000, VERY_FAR = 200000 };

/* What a deed may work on; the pointers to data are NULL outside of execute(). */
typedef struct scene {
  const void *const *operands;
  void *const *results;
  assay_reason_t *reason;
  const char *argument; /* The options after the deed's name. */
} scene_t;

static int32_t crash(const scene_t *scene) {
  (void)scene;
  raise(SIGSEGV);
  return ASSAY_EXECUTOR_OK;
}

static int32_t talk_and_abort(const scene_t *scene) {
  (void)scene;
  for (int i = 0; i < 10000; i++) fprintf(stderr, "line %d\n", i);
  fprintf(stderr, "the lattice is\tbroken\n");
  abort();
}

static int32_t leave(const scene_t *scene) {
  (void)scene;
  exit(3);
}

static int32_t leave_well(const scene_t *scene) {
  (void)scene;
  exit(0);
}

static int32_t leave_at_once(const scene_t *scene) {
  (void)scene;
  _exit(0);
}

static int32_t be_killed(const scene_t *scene) {
  (void)scene;
  kill(getpid(), SIGKILL);
  return ASSAY_EXECUTOR_OK;
}

static int32_t be_terminated(const scene_t *scene) {
  (void)scene;
  raise(SIGTERM);
  return ASSAY_EXECUTOR_OK;
}

static void *wait_and_leave(void *argument) {
  const struct timespec wait = {.tv_nsec = 30000000};
  (void)argument;
  nanosleep(&wait, NULL);
  _exit(0);
}

/* Later, wherever the caller is then. */
static int32_t leave_from_a_thread(const scene_t *scene) {
  pthread_t thread;
  (void)scene;
  pthread_create(&thread, NULL, wait_and_leave, NULL);
  return ASSAY_EXECUTOR_OK;
}

/* Appends the number of this process to the file that the argument names, and stays. */
static void stay(const char *path) {
  FILE *file = fopen(path, "a");
  if (file == NULL) _exit(1);
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  for (;;) pause();
}

/* Once, since it is called often. */
static int32_t leave_children(const scene_t *scene) {
  if (access(scene->argument, F_OK) == 0) return ASSAY_EXECUTOR_OK;
  for (int i = 0; i < CHILDREN; i++) {
    if (fork() == 0) stay(scene->argument);
  }
  while (access(scene->argument, F_OK) != 0) usleep(1000);
  return ASSAY_EXECUTOR_OK;
}

/* In a session of its own, child of nobody who is left. */
static int32_t leave_a_daemon(const scene_t *scene) {
  if (access(scene->argument, F_OK) == 0) return ASSAY_EXECUTOR_OK;
  if (fork() == 0) {
    setsid();
    if (fork() == 0) stay(scene->argument);
    _exit(0);
  }
  while (access(scene->argument, F_OK) != 0) usleep(1000);
  return ASSAY_EXECUTOR_OK;
}

/* As a library might that reads German files. */
static int32_t change_locale(const scene_t *scene) {
  setlocale(LC_ALL, scene->argument[0] == '\0' ? "de_DE.UTF-8" : scene->argument);
  return ASSAY_EXECUTOR_OK;
}

static void make_marker(const char *path) {
  FILE *file = fopen(path, "w");
  if (file != NULL) fclose(file);
}

/* The file that the argument names, if any, tells that it hangs. */
static int32_t hang(const scene_t *scene) {
  if (scene->argument[0] != '\0') make_marker(scene->argument);
  for (;;) pause();
  return ASSAY_EXECUTOR_OK;
}

/* Writes zeros wherever Assay might listen. */
static int32_t make_noise(const scene_t *scene) {
  (void)scene;
  static const char noise[256];
  for (int descriptor = 3; descriptor < DESCRIPTORS_TRIED; descriptor++) {
    if (write(descriptor, noise, sizeof noise) < 0 && errno != EBADF) perror("noise");
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t hang_up(const scene_t *scene) {
  for (int descriptor = 3; descriptor < DESCRIPTORS_TRIED; descriptor++) close(descriptor);
  return hang(scene);
}

/* Takes memory until there is none, 64 GiB at most. */
static int32_t take_memory(const scene_t *scene) {
  for (int i = 0; i < 1024; i++) {
    void *volatile block = malloc((size_t)64 << 20);
    if (block != NULL) continue;
    snprintf(scene->reason->text, scene->reason->text_bytes, "out of memory");
    return ASSAY_EXECUTOR_FAILED;
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_before(const scene_t *scene) {
  ((char *)scene->results[0])[-1] = 7;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_after(const scene_t *scene) {
  ((char *)scene->results[0])[sizeof(float)] = 7;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_far_before(const scene_t *scene) {
  ((char *)scene->results[0])[-FAR] = 7;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_far_after(const scene_t *scene) {
  ((char *)scene->results[0])[FAR] = 7;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_very_far_before(const scene_t *scene) {
  ((char *)scene->results[0])[-VERY_FAR] = 7;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_very_far_after(const scene_t *scene) {
  ((char *)scene->results[0])[VERY_FAR] = 7;
  return ASSAY_EXECUTOR_OK;
}

/* Moves what it never wrote across the end of the result. */
static int32_t spread_poison(const scene_t *scene) {
  char *result = scene->results[0];
  result[sizeof(float)] = result[0];
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_operand(const scene_t *scene) {
  union {
    const void *as_given;
    float *writable;
  } operand = {.as_given = scene->operands[0]};
  operand.writable[0] = -1.0f;
  return ASSAY_EXECUTOR_OK;
}

static int32_t write_operand_seldom(const scene_t *scene) {
  static unsigned calls;
  return ++calls % SELDOM == 0 ? write_operand(scene) : ASSAY_EXECUTOR_OK;
}

static int32_t change_rounding(const scene_t *scene) {
  (void)scene;
  fesetround(FE_TOWARDZERO);
  return ASSAY_EXECUTOR_OK;
}

static int32_t answer_nonsense(const scene_t *scene) {
  (void)scene;
  return 77;
}

/* No end, no ASCII. */
static int32_t fail_strangely(const scene_t *scene) {
  memset(scene->reason->text, 0xfe, scene->reason->text_bytes);
  return ASSAY_EXECUTOR_FAILED;
}

static int32_t fail_mutely(const scene_t *scene) {
  (void)scene;
  return ASSAY_EXECUTOR_FAILED;
}

static int32_t call_invalid(const scene_t *scene) {
  snprintf(scene->reason->text, scene->reason->text_bytes, "C99 is broken");
  return ASSAY_EXECUTOR_INVALID;
}

/* The first process makes the file that the argument names; one that finds it does not start. */
static int32_t start_once(const scene_t *scene) {
  if (access(scene->argument, F_OK) == 0) abort();
  make_marker(scene->argument);
  return ASSAY_EXECUTOR_OK;
}

/* Crashes unless the file that the argument names is there; makes it. */
static int32_t crash_once(const scene_t *scene) {
  if (access(scene->argument, F_OK) == 0) return ASSAY_EXECUTOR_OK;
  make_marker(scene->argument);
  return crash(scene);
}

static int32_t do_nothing(const scene_t *scene) {
  (void)scene;
  return ASSAY_EXECUTOR_OK;
}

typedef struct deed {
  const char *name;
  int32_t (*act)(const scene_t *scene);
} deed_t;

static const deed_t deeds[] = {
    {"crash", crash},
    {"talk_and_abort", talk_and_abort},
    {"leave", leave},
    {"leave_well", leave_well},
    {"leave_at_once", leave_at_once},
    {"leave_from_a_thread", leave_from_a_thread},
    {"leave_children", leave_children},
    {"leave_a_daemon", leave_a_daemon},
    {"be_killed", be_killed},
    {"be_terminated", be_terminated},
    {"change_locale", change_locale},
    {"hang", hang},
    {"make_noise", make_noise},
    {"hang_up", hang_up},
    {"take_memory", take_memory},
    {"write_before", write_before},
    {"write_after", write_after},
    {"write_far_before", write_far_before},
    {"write_far_after", write_far_after},
    {"write_very_far_before", write_very_far_before},
    {"write_very_far_after", write_very_far_after},
    {"spread_poison", spread_poison},
    {"write_operand", write_operand},
    {"write_operand_seldom", write_operand_seldom},
    {"change_rounding", change_rounding},
    {"answer_nonsense", answer_nonsense},
    {"fail_strangely", fail_strangely},
    {"fail_mutely", fail_mutely},
    {"call_invalid", call_invalid},
    {"start_once", start_once},
    {"crash_once", crash_once},
    {"leave_unwritten", do_nothing},
};

/* An opened backend: some deeds, each at its place. */
typedef struct culprit {
  char options[512];
} culprit_t;

/* Does the deed called `text`, up to a ';', with what follows its name and a ':'. */
static int32_t act(const char *text, scene_t scene) {
  size_t name_size = strcspn(text, ":;");
  char argument[512] = "";
  if (text[name_size] == ':') {
    const char *begin = text + name_size + 1;
    snprintf(argument, sizeof argument, "%.*s", (int)strcspn(begin, ";"), begin);
  }
  scene.argument = argument;
  for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
    if (strlen(deeds[i].name) == name_size && memcmp(deeds[i].name, text, name_size) == 0) {
      return deeds[i].act(&scene);
    }
  }
  return ASSAY_EXECUTOR_OK;
}

/* Does what the options, "PLACE:DEED[:ARGUMENT][;...]", ask for at `place`; the place "*" is all.
 */
static int32_t act_at(const char *place, const char *options, scene_t scene) {
  size_t place_size = strlen(place);
  for (const char *next = options; next != NULL && *next != '\0';) {
    const char *end = strchr(next, ';');
    bool is_here = strncmp(next, place, place_size) == 0 && next[place_size] == ':';
    if (is_here) return act(next + place_size + 1, scene);
    if (strncmp(next, "*:", 2) == 0) return act(next + 2, scene);
    next = end == NULL ? NULL : end + 1;
  }
  return ASSAY_EXECUTOR_OK;
}

/* The options of the backend that was opened last, for when it is unloaded. */
static char last_options[512];

__attribute__((constructor)) static void load(void) {
  const char *deed = getenv("FAULTY_LOAD");
  if (deed != NULL) act(deed, (scene_t){0});
}

__attribute__((destructor)) static void unload(void) {
  act_at("unload", last_options, (scene_t){0});
}

static int32_t faulty_open(const char *options, void **out_self, assay_reason_t *reason) {
  int32_t code = act_at("open", options, (scene_t){.reason = reason});
  if (code != ASSAY_EXECUTOR_OK) return code;
  culprit_t *culprit = malloc(sizeof *culprit);
  if (culprit == NULL) return ASSAY_EXECUTOR_FAILED;
  snprintf(culprit->options, sizeof culprit->options, "%s", options);
  snprintf(last_options, sizeof last_options, "%s", options);
  *out_self = culprit;
  return ASSAY_EXECUTOR_OK;
}

static int32_t faulty_promises(void *self, const assay_program_t *program) {
  culprit_t *culprit = self;
  act_at("promises", culprit->options, (scene_t){0});
  return good_promises(self, program);
}

static int32_t faulty_compile(void *self, const assay_program_t *program, void **out_handle,
                              assay_reason_t *reason) {
  culprit_t *culprit = self;
  int32_t code = act_at("compile", culprit->options, (scene_t){.reason = reason});
  if (code != ASSAY_EXECUTOR_OK) return code;
  return good_compile(self, program, out_handle, reason);
}

static int32_t faulty_execute(void *self, void *handle, const void *const *operands,
                              void *const *results, assay_reason_t *reason) {
  culprit_t *culprit = self;
  scene_t scene = {.operands = operands, .results = results, .reason = reason};
  int32_t code = act_at("execute", culprit->options, scene);
  if (code != ASSAY_EXECUTOR_OK) return code;
  if (strstr(culprit->options, "leave_unwritten") != NULL) return code;
  return good_execute(self, handle, operands, results, reason);
}

static const char *faulty_name(void *self) {
  culprit_t *culprit = self;
  act_at("name", culprit->options, (scene_t){0});
  const char *says = strstr(culprit->options, "name:says:");
  return says == NULL ? "tester" : says + strlen("name:says:");
}

static const char *faulty_implementation(void *self, void *handle) {
  culprit_t *culprit = self;
  act_at("implementation", culprit->options, (scene_t){0});
  return good_implementation(self, handle);
}

static void faulty_release(void *self, void *handle) {
  culprit_t *culprit = self;
  act_at("release", culprit->options, (scene_t){0});
  good_release(self, handle);
}

static void faulty_close(void *self) {
  culprit_t *culprit = self;
  act_at("close", culprit->options, (scene_t){0});
  free(self);
}

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  const char *deed = getenv("FAULTY_QUERY");
  if (deed != NULL) act(deed, (scene_t){0});
  (void)abi_max;
  table = good_table;
  table.open = faulty_open;
  table.name = faulty_name;
  table.promises = faulty_promises;
  table.compile = faulty_compile;
  table.execute = faulty_execute;
  table.implementation = faulty_implementation;
  table.release = faulty_release;
  table.close = faulty_close;
  return &table;
}
