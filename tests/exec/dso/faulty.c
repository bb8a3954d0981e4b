/* A backend that does one thing wrong: its options say where and what, "execute:crash". */
#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <unistd.h>

#include "tests/exec/dso/backend.h"

enum { DESCRIPTORS_TRIED = 64 };

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
    {"hang", hang},
    {"make_noise", make_noise},
    {"hang_up", hang_up},
    {"take_memory", take_memory},
    {"write_before", write_before},
    {"write_after", write_after},
    {"spread_poison", spread_poison},
    {"write_operand", write_operand},
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

/* Does what the options, "PLACE:DEED[:ARGUMENT][;...]", ask for at `place`. */
static int32_t act_at(const char *place, const char *options, scene_t scene) {
  size_t place_size = strlen(place);
  for (const char *next = options; next != NULL && *next != '\0';) {
    const char *end = strchr(next, ';');
    if (strncmp(next, place, place_size) == 0 && next[place_size] == ':') {
      const char *name = next + place_size + 1;
      size_t name_size = strcspn(name, ":;");
      scene.argument = name[name_size] == ':' ? name + name_size + 1 : "";
      for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        if (strlen(deeds[i].name) == name_size && memcmp(deeds[i].name, name, name_size) == 0) {
          return deeds[i].act(&scene);
        }
      }
    }
    next = end == NULL ? NULL : end + 1;
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t faulty_open(const char *options, void **out_self, assay_reason_t *reason) {
  int32_t code = act_at("open", options, (scene_t){.reason = reason});
  if (code != ASSAY_EXECUTOR_OK) return code;
  culprit_t *culprit = malloc(sizeof *culprit);
  if (culprit == NULL) return ASSAY_EXECUTOR_FAILED;
  snprintf(culprit->options, sizeof culprit->options, "%s", options);
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

static void faulty_close(void *self) { free(self); }

const assay_executor_t *assay_executor_query(uint32_t abi_max) {
  static assay_executor_t table;
  (void)abi_max;
  table = good_table;
  table.open = faulty_open;
  table.promises = faulty_promises;
  table.compile = faulty_compile;
  table.execute = faulty_execute;
  table.close = faulty_close;
  return &table;
}
