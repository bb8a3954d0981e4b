/* SPDX-License-Identifier: Apache-2.0 */
/* A row for each root cause: what is told of it on the first screen of a report, whatever the
 * format. */
#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "reports/overview/triage.h"
#include "reports/verdict/decimal.h"

enum {
  OPERAND_ELEMENTS_MAX = 12,
  SPREAD_MAX = 12,
  PROGRAM_BYTES_MAX = 2000,
  MODULE_BYTES_MAX = 8000
};

static const char *const CLASS_WORDS[][2] = {
#define CLASS(name, spelling, summary) {spelling, summary},
#include "harness/judge/classes.def"
#undef CLASS
};

/* The order in which states ask for somebody: those of view `finding_state`. */
static const char *const STATES[] = {"regressed", "new",     "waiver-expired", "known",
                                     "waived",    "changed", "fixed"};

size_t overview_group_example(const overview_t *overview, const overview_group_t *group) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  size_t best = 0, best_size = SIZE_MAX;
  double rank = 0;
  for (size_t i = 0; i < group->shown_count; i++) {
    size_t index = overview_find_id(overview, group->shown[i]);
    double its_rank = overview_number(grid, index, "severity_rank");
    size_t size = strlen(overview_text(grid, index, "small_case_line"));
    if (i == 0) rank = its_rank;
    if (its_rank > rank) break;
    if (size >= best_size) continue;
    best = index;
    best_size = size;
  }
  return best;
}

static size_t state_place(const char *state) {
  for (size_t i = 0; i < G_N_ELEMENTS(STATES); i++) {
    if (strcmp(STATES[i], state) == 0) return i;
  }
  return G_N_ELEMENTS(STATES) - 1;
}

void overview_group_print_state(const overview_t *overview, const overview_group_t *group,
                                GString *out_text) {
  size_t most = G_N_ELEMENTS(STATES) - 1;
  for (size_t i = 0; i < group->shown_count; i++) {
    const char *state =
        overview_finding_state(overview, overview_find_id(overview, group->shown[i]));
    most = MIN(most, state_place(state));
  }
  size_t is_new = state_place("new"), is_known = state_place("known");
  if (most == is_new && group->new_count < group->count) most = is_known;
  g_string_append(out_text, STATES[most]);
  if (group->new_count > 0 && group->new_count < group->count) {
    g_string_append_printf(out_text, ", %zu new", group->new_count);
  }
  if (most == is_known && group->seen_count == 0) g_string_append(out_text, ", not seen this time");
}

void overview_group_print_diagnosis(const overview_t *overview, const overview_group_t *group,
                                    GString *out_text) {
  overview_finding_t finding = overview_finding(overview, overview_group_example(overview, group));
  if (finding.known[0] != '\0') {
    g_string_append_printf(out_text, "known: %s", finding.known);
  } else if (finding.cause[0] != '\0') {
    g_string_append(out_text, finding.cause_words[0] != '\0' ? finding.cause_words : finding.cause);
  } else if (finding.broken_constraint[0] != '\0') {
    g_string_append_printf(out_text, "accepts what breaks constraint %s",
                           finding.broken_constraint);
  } else {
    const char *words = finding.class_;
    for (size_t i = 0; i < G_N_ELEMENTS(CLASS_WORDS); i++) {
      if (strcmp(CLASS_WORDS[i][0], finding.class_) == 0) words = CLASS_WORDS[i][1];
    }
    g_string_append_printf(out_text, "%s", words);
    if (finding.reason[0] != '\0') g_string_append_printf(out_text, ": %s", finding.reason);
  }
}

/* Most backends begin their version with their name. */
char *overview_executor_words(const overview_t *overview, size_t index) {
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  const char *label = overview_text(grid, index, "executor");
  const char *version = overview_text(grid, index, "executor_version");
  size_t size = strcspn(label, " ");
  bool says_so = strncmp(version, label, size) == 0 && (label[size] == '\0' || label[size] == ' ');
  return says_so ? g_strdup(version) : g_strdup_printf("%s (%s)", label, version);
}

/* "a, b and 3 more". */
static char *join_some(const GPtrArray *names) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < MIN(names->len, (guint)SPREAD_MAX); i++) {
    g_string_append_printf(text, "%s%s", i == 0 ? "" : " ", (const char *)names->pdata[i]);
  }
  if (names->len > SPREAD_MAX) {
    g_string_append_printf(text, " and %u more", names->len - SPREAD_MAX);
  }
  return g_string_free(text, FALSE);
}

/* How far the worst element is from what is permitted: integers by distance, others by their
 * relative error. */
static char *error_words(const overview_t *overview, size_t index) {
  overview_finding_t finding = overview_finding(overview, index);
  char *distance = decimal_distance(finding.got, finding.expected);
  if (distance != NULL) {
    char *words = g_strdup_printf("off by %s", distance);
    g_free(distance);
    return words;
  }
  const store_value_t *relative =
      overview_cell(&overview->sections[OVERVIEW_FINDINGS], index, "relative_error");
  if (relative->kind == STORE_NULL || relative->real == 0) return g_strdup("");
  return g_strdup_printf("relative error %.2g", relative->real);
}

/* The operands in decimal, if this Assay can read the case. */
static void read_operands(const char *case_line, GString *operands) {
  arena_t arena;
  arena_init(&arena);
  case_t instance;
  const char *broken = NULL;
  if (case_parse(str_from(case_line), &arena, &instance, &broken, NULL) == STATUS_OK) {
    decimal_operands(&instance, OPERAND_ELEMENTS_MAX, operands);
  }
  arena_deinit(&arena);
}

/* The program as a StableHLO module, likewise. */
static void read_module(const char *program_line, GString *module) {
  arena_t arena;
  arena_init(&arena);
  program_t program;
  const char *broken = NULL;
  if (program_parse(str_from(program_line), &arena, &program, &broken, NULL) == STATUS_OK) {
    program.op->print_mlir(&program, module);
    if (module->len > MODULE_BYTES_MAX) g_string_truncate(module, 0);
  }
  arena_deinit(&arena);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A row as it is made: texts are owned by `texts`. */
typedef struct row {
  GPtrArray *names; /* const char * */
  GArray *values;   /* store_value_t */
  GStringChunk *texts;
} row_t;

static void add_text(row_t *row, const char *name, const char *text) {
  const store_value_t value = {.kind = STORE_TEXT, .text = g_string_chunk_insert(row->texts, text)};
  g_ptr_array_add(row->names, (gpointer)(uintptr_t)name);
  g_array_append_val(row->values, value);
}

/* Frees the text. */
static void take_text(row_t *row, const char *name, char *text) {
  add_text(row, name, text);
  g_free(text);
}

static void add_integer(row_t *row, const char *name, int64_t number) {
  g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
  add_text(row, name, text);
  store_value_t *value = &g_array_index(row->values, store_value_t, row->values->len - 1);
  value->kind = STORE_INTEGER;
  value->real = (double)number;
  value->integer = number;
}

static void add_case(const overview_t *overview, size_t index, row_t *row) {
  overview_finding_t finding = overview_finding(overview, index);
  char *program = overview_program_line(overview, index);
  g_autoptr(GString) operands = g_string_new(NULL);
  g_autoptr(GString) module = g_string_new(NULL);
  read_operands(finding.case_line, operands);
  read_module(program, module);
  if (strlen(program) > PROGRAM_BYTES_MAX) program[PROGRAM_BYTES_MAX] = '\0';
  take_text(row, "program", program);
  add_text(row, "operands", operands->str);
  add_text(row, "module", module->str);
  take_text(row, "got", decimal_plain(finding.got));
  take_text(row, "permitted", decimal_plain(finding.expected));
  take_text(row, "error", error_words(overview, index));
  add_integer(row, "wrong elements", (int64_t)finding.wrong_count);
  add_integer(row, "elements", (int64_t)finding.component_count);
  add_text(row, "got exactly", finding.got);
  add_text(row, "permitted exactly", finding.expected);
  g_autoptr(GString) replay = g_string_new(NULL);
  overview_print_replay(overview, index, replay);
  add_text(row, "replay", replay->str);
}

static void add_spread(const overview_group_t *group, row_t *row) {
  add_integer(row, "findings", (int64_t)group->count);
  add_integer(row, "new", (int64_t)group->new_count);
  add_integer(row, "seen this time", (int64_t)group->seen_count);
  add_integer(row, "sightings", (int64_t)group->sightings);
  add_integer(row, "ops", group->ops->len);
  add_integer(row, "algorithms", group->algorithms->len);
  add_integer(row, "types", group->types->len);
  take_text(row, "in ops", join_some(group->ops));
  take_text(row, "in algorithms", join_some(group->algorithms));
  take_text(row, "in types", join_some(group->types));
}

static void add_group(const overview_t *overview, const overview_group_t *group, row_t *row) {
  size_t index = overview_group_example(overview, group);
  const report_grid_t *grid = &overview->sections[OVERVIEW_FINDINGS];
  overview_finding_t finding = overview_finding(overview, index);
  g_autoptr(GString) state = g_string_new(NULL);
  g_autoptr(GString) diagnosis = g_string_new(NULL);
  overview_group_print_state(overview, group, state);
  overview_group_print_diagnosis(overview, group, diagnosis);
  add_integer(row, "example", finding.id);
  add_text(row, "severity", finding.severity);
  add_text(row, "executor", finding.executor);
  take_text(row, "who", overview_executor_words(overview, index));
  add_text(row, "version", overview_text(grid, index, "executor_version"));
  add_text(row, "hardware", overview_text(grid, index, "hardware"));
  add_text(row, "diagnosis", diagnosis->str);
  add_text(row, "state", state->str);
  add_text(row, "class", finding.class_);
  add_text(row, "cause", finding.cause);
  add_text(row, "known", overview_text(grid, index, "known"));
  add_text(row, "hypothesis", group->hypothesis);
  add_text(row, "op", finding.op);
  add_text(row, "algorithm", finding.algorithm);
  add_text(row, "pattern", finding.pattern);
  add_spread(group, row);
  add_case(overview, index, row);
  add_text(row, "first seen", finding.first_seen);
  add_text(row, "last seen", finding.last_seen);
  g_autoptr(GString) shown = g_string_new(NULL);
  for (size_t i = 0; i < group->shown_count; i++) {
    g_string_append_printf(shown, "%s%" G_GINT64_FORMAT, i == 0 ? "" : " ", group->shown[i]);
  }
  add_text(row, "shown", shown->str);
  add_text(row, "script", "");
}

void triage_add_rows(overview_t *overview) {
  report_grid_t *grid = &overview->sections[OVERVIEW_CAUSES];
  grid->bytes_max = SIZE_MAX; /* Nothing is left out. */
  row_t row = {.names = g_ptr_array_new(),
               .values = g_array_new(FALSE, FALSE, sizeof(store_value_t)),
               .texts = g_string_chunk_new(4096)};
  for (guint i = 0; i < overview->groups->len; i++) {
    g_ptr_array_set_size(row.names, 0);
    g_array_set_size(row.values, 0);
    g_string_chunk_clear(row.texts);
    add_group(overview, &g_array_index(overview->groups, overview_group_t, i), &row);
    const char *const *names = (const char *const *)row.names->pdata;
    int count = (int)row.names->len;
    if (i == 0) report_grid_add(grid, count, names, NULL, NULL);
    report_grid_add(grid, count, names, (const store_value_t *)(gpointer)row.values->data, NULL);
  }
  g_ptr_array_unref(row.names);
  g_array_unref(row.values);
  g_string_chunk_free(row.texts);
}

void overview_set_script(overview_t *overview, size_t group, const char *script) {
  report_grid_t *grid = &overview->sections[OVERVIEW_CAUSES];
  store_value_t *cell = (store_value_t *)(uintptr_t)overview_cell(grid, group, "script");
  cell->text = g_string_chunk_insert(grid->texts, script);
}
