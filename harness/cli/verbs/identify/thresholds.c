/* SPDX-License-Identifier: Apache-2.0 */
/* assay thresholds: the sizes at which the implementation of an executor changes, by its bits. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/options/checks/output_file.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/task/interrupt.h"
#include "harness/gen/found_thresholds.h"
#include "harness/gen/gen.h"
#include "harness/identify/threshold_search.h"
#include "reports/verdict/describe.h"

enum {
  MAX_DEFAULT = (1 << 16) + 1, /* A kernel for up to 65,536 ends there. */
  MAX_MAX = 1 << 20,
  BASES_MAX = 16,      /* Programs that are tried for an axis ... */
  ATTEMPTS_MAX = 2000, /* ... of so many that are drawn, ... */
  SHAPES = 2,          /* ... each with so many sizes of its other axes. */
};

typedef struct thresholds_flags {
  executor_flags_t executor;
  char **ops;
  char *type;
  char **axes;
  gint64 max;
  char *seed;
  char *out;
  gboolean json;
} thresholds_flags_t;

typedef struct thresholds {
  const thresholds_flags_t *flags;
  executor_t *executor;
  const op_t *const *ops;
  size_t op_count;
  bool roles[AXIS_ROLE_COUNT];
  uint64_t seed;
  const volatile sig_atomic_t *stop;
  found_thresholds_t *kept;
  json_t *documents; /* NULL: print words. */
  arena_t arena;     /* Of the present program. */
  size_t base_count; /* Programs that were drawn. */
  bool failed;
} thresholds_t;

/* ---- Programs -------------------------------------------------------------------------------- */

static bool has_floats(const program_t *program) {
  for (uint32_t i = 0; i < program->result_count; i++) {
    const type_t *type = &program->results[i];
    bool is_float = type->element->format != NULL && type->quantization == NULL;
    if (!is_float || type_element_count(type) == 0) return false;
  }
  return program->result_count > 0;
}

/* The first axis of that role. */
static bool find_axis(const program_t *program, axis_role_t role, uint32_t *out_axis) {
  axes_t axes;
  if (!axes_of(program, &axes)) return false;
  for (uint32_t axis = 0; axis < axes.count; axis++) {
    if (axes.items[axis].role != role || axes.items[axis].size < 1) continue;
    *out_axis = axis;
    return true;
  }
  return false;
}

static int compare_lines(const void *a, const void *b) {
  const char *left = *(const char *const *)a, *right = *(const char *const *)b;
  size_t sizes[2] = {strlen(left), strlen(right)};
  if (sizes[0] != sizes[1]) return sizes[0] < sizes[1] ? -1 : 1;
  return strcmp(left, right);
}

/* Small programs with an axis of that role, the plainest first: those with the shortest lines. */
static GPtrArray *draw_bases(thresholds_t *self, const op_t *op, axis_role_t role) {
  const gen_options_t options = {.limits = {.rank_max = 3, .elements_max = 64, .terms_max = 16}};
  g_autoptr(GHashTable) lines = g_hash_table_new(g_str_hash, g_str_equal);
  GPtrArray *bases = g_ptr_array_new_with_free_func(g_free);
  rng_t rng = rng_make(self->seed);
  for (int i = 0; i < ATTEMPTS_MAX; i++) {
    const char *broken;
    program_t program;
    uint32_t axis;
    arena_reset(&self->arena);
    gen_program(&rng, op, &options, &self->arena, &program, &broken);
    bool is_fit = has_floats(&program) && program_has_types(&program, self->flags->type) &&
                  find_axis(&program, role, &axis);
    if (!is_fit) continue;
    g_autoptr(GString) line = g_string_new(NULL);
    program_print(&program, line);
    if (g_hash_table_contains(lines, line->str)) continue;
    char *copy = g_strdup(line->str);
    g_hash_table_add(lines, copy);
    g_ptr_array_add(bases, copy);
  }
  g_ptr_array_sort(bases, compare_lines);
  return bases;
}

/* Makes all sizes but that of the axis these, for terms and for others: sums need terms to have an
 * order, and kernels are chosen by all sizes.  False if no valid program has them. */
static bool size_others(thresholds_t *self, uint32_t axis, int64_t terms, int64_t others,
                        program_t *inout_program) {
  axes_t axes;
  program_t program;
  if (!axes_of(inout_program, &axes)) return false;
  for (uint32_t i = 0; i < axes.count; i++) {
    if (i == axis || axes.items[i].size < 1) continue;
    axes.items[i].size = axes.items[i].role == AXIS_TERM ? terms : others;
  }
  if (!axes_program(inout_program, &axes, &self->arena, &program)) return false;
  *inout_program = program;
  return true;
}

/* ---- Reports --------------------------------------------------------------------------------- */

static json_t *json_thresholds(const threshold_search_t *search) {
  json_t *list = json_array();
  for (guint i = 0; i < search->thresholds->len; i++) {
    const threshold_t *at = &g_array_index(search->thresholds, threshold_t, i);
    json_array_append_new(
        list, json_pack("{s:I, s:I, s:f, s:s, s:s}", "before", (json_int_t)at->before, "size",
                        (json_int_t)at->size, "time_ratio", at->time_ratio, "implementation_before",
                        at->implementation_before, "implementation", at->implementation));
  }
  return list;
}

static void print_threshold(const threshold_t *at) {
  bool is_named = strcmp(at->implementation_before, at->implementation) != 0;
  printf("  %" PRId64, at->size);
  if (at->size - at->before > 1) printf(" at the latest, after %" PRId64, at->before);
  printf(": other %s", is_named ? "implementation" : "bits");
  if (at->time_ratio > 0) printf(", %.2g times as long", at->time_ratio);
  if (is_named) printf(" (%s, then %s)", at->implementation_before, at->implementation);
  putchar('\n');
}

static void print_words(const threshold_search_t *search) {
  enum { SHOWN_MAX = 3 }; /* Of a search that did not end. */
  guint count = search->thresholds->len;
  if (search->outcome != THRESHOLD_OUTCOME_found) count = MIN(count, SHOWN_MAX);
  for (guint i = 0; i < count; i++) {
    print_threshold(&g_array_index(search->thresholds, threshold_t, i));
  }
  if (search->outcome == THRESHOLD_OUTCOME_found && search->thresholds->len == 0) {
    printf("  none of %zu sizes to %" PRId64 " has other bits\n", search->evaluations,
           search->size_seen);
  }
  if (search->outcome == THRESHOLD_OUTCOME_throughout) {
    puts("  and so on: bits change with the size throughout, which is no threshold");
  } else if (search->outcome != THRESHOLD_OUTCOME_found) {
    printf("  %s%s%s\n", threshold_outcome_spelling(search->outcome),
           search->reason[0] == '\0' ? "" : ": ", search->reason);
  }
}

static void report(thresholds_t *self, const program_t *program, axis_role_t role,
                   const threshold_search_t *search) {
  g_autoptr(GString) line = g_string_new(NULL);
  program_print(program, line);
  if (self->documents == NULL) {
    printf("%s: %s of %s\n", executor_name(self->executor), axis_role_name(role), line->str);
    print_words(search);
    fflush(stdout);
    return;
  }
  json_array_append_new(
      self->documents,
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "executor",
                executor_name(self->executor), "version", executor_version(self->executor),
                "program", line->str, "axis", axis_role_name(role), "outcome",
                threshold_outcome_spelling(search->outcome), "reason", search->reason, "size_seen",
                (json_int_t)search->size_seen, "thresholds", json_thresholds(search)));
}

/* Rules by sizes are none to draw around. */
static void keep(thresholds_t *self, const program_t *program, axis_role_t role,
                 const threshold_search_t *search) {
  found_threshold_t row = {.executor = executor_name(self->executor),
                           .version = executor_version(self->executor),
                           .op = program->op->name,
                           .types = self->flags->type,
                           .role = role};
  if (search->outcome != THRESHOLD_OUTCOME_found) return;
  for (guint i = 0; i < search->thresholds->len; i++) {
    row.size = g_array_index(search->thresholds, threshold_t, i).size;
    found_thresholds_add(self->kept, &row);
  }
}

/* ---- Search ---------------------------------------------------------------------------------- */

/* Whether another program may tell more. */
static bool is_empty(const threshold_search_t *search) {
  return search->outcome == THRESHOLD_OUTCOME_not_comparable ||
         search->outcome == THRESHOLD_OUTCOME_refused;
}

/* Searches along an axis of one program; false if that tells nothing, and another one may. */
static bool search_base(thresholds_t *self, const char *line, axis_role_t role, size_t shape) {
  static const int64_t terms[SHAPES] = {64, 256}, others[SHAPES] = {2, 16};
  program_t program;
  uint32_t axis;
  failure_t ignored;
  arena_reset(&self->arena);
  if (program_parse(str_from(line), &self->arena, &program, NULL, &ignored) != STATUS_OK ||
      !find_axis(&program, role, &axis) ||
      !size_others(self, axis, terms[shape], others[shape], &program)) {
    return false;
  }
  const threshold_search_options_t options = {.executor = self->executor,
                                              .program = &program,
                                              .axis = axis,
                                              .size_max = self->flags->max,
                                              .seed = self->seed,
                                              .stop = self->stop};
  threshold_search_t search = threshold_search_run(&options);
  bool tells = !is_empty(&search);
  if (tells) {
    report(self, &program, role, &search);
    keep(self, &program, role, &search);
    self->failed |= search.outcome == THRESHOLD_OUTCOME_failed;
  }
  threshold_search_deinit(&search);
  return tells;
}

/* The roles that a program has axes of, a bit each. */
static unsigned roles_of(thresholds_t *self, const char *line) {
  program_t program;
  axes_t axes;
  failure_t ignored;
  unsigned roles = 0;
  arena_reset(&self->arena);
  if (program_parse(str_from(line), &self->arena, &program, NULL, &ignored) != STATUS_OK ||
      !axes_of(&program, &axes)) {
    return 0;
  }
  for (uint32_t i = 0; i < axes.count; i++) roles |= 1u << axes.items[i].role;
  return roles;
}

/* The plainest program with these roles that tells something, with each shape. */
static bool search_roles(thresholds_t *self, const GPtrArray *bases, axis_role_t role,
                         unsigned roles) {
  unsigned tried = 0;
  bool tells = false;
  for (guint i = 0; i < bases->len && tried < BASES_MAX && !tells && *self->stop == 0; i++) {
    const char *line = g_ptr_array_index(bases, i);
    if (roles_of(self, line) != roles) continue;
    tried++;
    for (size_t shape = 0; shape < SHAPES; shape++) {
      if (shape > 0 && roles == 1u << role) continue; /* It has no other sizes. */
      tells |= search_base(self, line, role, shape);
    }
  }
  return tells;
}

/* Sums alone, or along rows, or columns; and, but for those of a batch, whole products. */
static void search_axis(thresholds_t *self, const op_t *op, axis_role_t role) {
  enum { WHOLE = 1u << AXIS_ROW | 1u << AXIS_COLUMN | 1u << AXIS_TERM };
  GPtrArray *bases = draw_bases(self, op, role);
  self->base_count += bases->len;
  const found_threshold_t old = {.executor = executor_name(self->executor),
                                 .version = executor_version(self->executor),
                                 .op = op->name,
                                 .types = self->flags->type,
                                 .role = role};
  found_thresholds_drop(self->kept, &old);
  const unsigned plain = 1u << role | 1u << AXIS_TERM;
  bool tells = search_roles(self, bases, role, plain);
  if (role != AXIS_BATCH) tells |= search_roles(self, bases, role, WHOLE);
  if (role == AXIS_TERM) tells |= search_roles(self, bases, role, plain | 1u << AXIS_BATCH);
  if (!tells && bases->len > 0 && self->documents == NULL) {
    printf("%s: %s of %s: no program that it takes tells anything\n", executor_name(self->executor),
           axis_role_name(role), op->name);
  }
  g_ptr_array_unref(bases);
}

static void search_all(thresholds_t *self) {
  for (size_t i = 0; i < self->op_count; i++) {
    for (int role = 0; role < AXIS_ROLE_COUNT; role++) {
      bool tells = self->ops[i]->axes != NULL && !self->ops[i]->is_compound;
      if (!tells || !self->roles[role]) continue;
      if (*self->stop != 0) return;
      search_axis(self, self->ops[i], (axis_role_t)role);
    }
  }
}

static status_t read_kept(thresholds_t *self, failure_t *error) {
  self->kept = found_thresholds_new();
  const char *path = self->flags->out;
  if (path == NULL || !g_file_test(path, G_FILE_TEST_EXISTS)) return STATUS_OK;
  return found_thresholds_read(self->kept, path, error);
}

static status_t read_flags(thresholds_t *self, failure_t *error) {
  const thresholds_flags_t *flags = self->flags;
  if (flags->max <= THRESHOLD_TERMS || flags->max > MAX_MAX) {
    return status_fail(error, STATUS_INVALID,
                       "bad value %" G_GINT64_FORMAT " (--max); write %d to %d", flags->max,
                       THRESHOLD_TERMS + 1, (int)MAX_MAX);
  }
  bool is_any = flags->axes == NULL || flags->axes[0] == NULL;
  for (int role = 0; role < AXIS_ROLE_COUNT; role++) self->roles[role] = is_any;
  for (char **name = flags->axes; name != NULL && *name != NULL; name++) {
    axis_role_t role;
    if (!axis_role_find(*name, &role)) {
      return status_fail(error, STATUS_INVALID,
                         "unknown axis '%.100s' (--axis); write batch, row, column or term", *name);
    }
    self->roles[role] = true;
  }
  STATUS_TRY(arguments_parse_seed(flags->seed, &self->seed, error));
  STATUS_TRY(output_file_check("--out", flags->out, error));
  STATUS_TRY(read_kept(self, error));
  return find_ops(flags->ops, &self->ops, &self->op_count, error);
}

static int run_all(thresholds_t *self, const executor_list_t *executors) {
  arena_init(&self->arena);
  if (self->flags->json) self->documents = json_array();
  for (size_t i = 0; i < executors->count; i++) {
    self->executor = executors->items[i];
    search_all(self);
  }
  if (self->documents != NULL) json_print(self->documents, false);
  arena_deinit(&self->arena);
  failure_t error = {0};
  status_t status = STATUS_OK;
  if (self->base_count == 0 && *self->stop == 0) {
    status = status_fail(&error, STATUS_INVALID,
                         "no program of these ops has the types '%.100s' (--type) and such an axis "
                         "(--axis); write an element type (f32), or all types (bf16,bf16->f32)",
                         self->flags->type);
  } else if (self->flags->out != NULL) {
    status = found_thresholds_write(self->kept, self->flags->out, &error);
  }
  if (status != STATUS_OK) return complain_status(status, &error);
  return self->failed ? EXIT_CODE_FAILED : EXIT_CODE_CLEAN;
}

static int run(const thresholds_flags_t *flags) {
  thresholds_t self = {.flags = flags, .stop = interrupt_catch()};
  failure_t error = {0};
  status_t status = read_flags(&self, &error);
  executor_list_t executors = {0};
  int exit_code = status == STATUS_OK ? executor_flags_open(&flags->executor, &executors)
                                      : complain_status(status, &error);
  if (exit_code == EXIT_CODE_CLEAN) {
    exit_code = executor_list_close(&executors, run_all(&self, &executors));
  }
  found_thresholds_free(self.kept);
  g_free((gpointer)(uintptr_t)self.ops);
  return exit_code;
}

int command_thresholds(const command_t *command, int argc, char **argv) {
  thresholds_flags_t flags = {.max = MAX_DEFAULT, .type = g_strdup("f32")};
  const GOptionEntry entries[] = {
      {"op", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &flags.ops,
       "An op; may be given several times (default: all that tell their axes)", "OP"},
      {"type", 't', 0, G_OPTION_ARG_STRING, &flags.type,
       "Programs of this element type (default f32), or of these types (bf16,bf16->f32)", "TYPE"},
      {"axis", 0, 0, G_OPTION_ARG_STRING_ARRAY, &flags.axes,
       "What grows: batch, row, column or term; may be given several times (default: all)", "AXIS"},
      {"max", 0, 0, G_OPTION_ARG_INT64, &flags.max, "The largest size (default 65537)", "N"},
      {"seed", 's', 0, G_OPTION_ARG_STRING, &flags.seed,
       "Same seed, same programs and data (default 1; random draws one)", "SEED"},
      {"out", 0, 0, G_OPTION_ARG_FILENAME, &flags.out,
       "Keep what was found in this file, for --thresholds of `assay run` and `assay campaign`",
       "FILE"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags.json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_t arguments = arguments_make(command);
  arguments_add(&arguments, entries);
  executor_flags_add(&flags.executor, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) exit_code = run(&flags);
  executor_flags_free(&flags.executor);
  g_strfreev(flags.ops);
  g_free(flags.type);
  g_strfreev(flags.axes);
  g_free(flags.seed);
  g_free(flags.out);
  return exit_code;
}
