/* SPDX-License-Identifier: Apache-2.0 */
/* Withdraws permissions from a contract as long as all kept cases conform and enough of them could
 * have told. */
#include "harness/infer/infer.h"

#include <string.h>

#include "harness/infer/kept.h"

enum {
  VALUES_MAX = 32, /* Of a permission. */
  SAMPLES = 48,    /* Cases of each op that show whether it depends on a permission. */
  GREAT = 16, /* A case of more than so many times the median number of components shows nothing
                 by itself: a row of 65,539 would take all of the time. */
};

struct infer {
  contract_t begun, contract;
  GPtrArray *cases; /* kept_t, in the arena; the one that broke a contract last comes first. */
  GHashTable *ops;  /* A set of op_t: those of the cases. */
  arena_t arena;    /* Of cases. */
  arena_t sets;     /* Of their fast sets under `contract`. */
  arena_t scratch;
  bool has_sets;
  infer_finding_t findings[CONTRACT_PERMISSIONS_MAX];
};

infer_t *infer_new(const contract_t *contract) {
  infer_t *infer = g_new0(infer_t, 1);
  infer->begun = infer->contract = *contract;
  infer->cases = g_ptr_array_new();
  infer->ops = g_hash_table_new(NULL, NULL);
  arena_init(&infer->arena);
  arena_init(&infer->sets);
  arena_init(&infer->scratch);
  return infer;
}

void infer_free(infer_t *infer) {
  if (infer == NULL) return;
  g_ptr_array_unref(infer->cases);
  g_hash_table_unref(infer->ops);
  arena_deinit(&infer->arena);
  arena_deinit(&infer->sets);
  arena_deinit(&infer->scratch);
  g_free(infer);
}

void infer_keep(infer_t *infer, const case_t *instance, const tensor_t *results) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(instance, line);
  kept_t *kept = ARENA_NEW_ARRAY(&infer->arena, kept_t, 1);
  memset(kept, 0, sizeof *kept);
  const char *violation;
  char *text = arena_alloc(&infer->arena, line->len + 1);
  memcpy(text, line->str, line->len + 1);
  status_t status = case_parse(str_from(text), &infer->arena, &kept->instance, &violation, NULL);
  g_assert(status == STATUS_OK && violation == NULL);
  for (uint32_t i = 0; i < instance->program.result_count; i++) {
    kept->results[i] = tensor_make(&infer->arena, &instance->program.results[i]);
    memcpy(kept->results[i].data, results[i].data, type_bytes(&kept->results[i].type));
  }
  kept->oracle = oracle_find(kept->instance.program.op);
  g_hash_table_add(infer->ops, (gpointer)(uintptr_t)kept->instance.program.op);
  g_ptr_array_add(infer->cases, kept);
  infer->has_sets = false;
}

size_t infer_case_count(const infer_t *infer) { return infer->cases->len; }

const contract_t *infer_contract(const infer_t *infer) { return &infer->contract; }

infer_finding_t infer_finding(const infer_t *infer, size_t permission) {
  return infer->findings[permission];
}

static kept_t *case_at(const infer_t *infer, guint index) {
  return (kept_t *)g_ptr_array_index(infer->cases, index);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* How many values of the permission a value permits: the fewer, the tighter it is. */
static unsigned count_permitted(const char *name, uint8_t value) {
  unsigned count = 0;
  for (uint8_t i = 0; i < contract_value_count(name); i++) {
    count += contract_value_permits(name, value, i);
  }
  return count;
}

/* Whether `a` is tried before `b`: the tighter one, and of two alternatives that of contract
 * `wide`, which says what most implementations promise. */
static bool comes_before(const char *name, uint8_t a, uint8_t b, uint8_t wide) {
  unsigned permitted_a = count_permitted(name, a), permitted_b = count_permitted(name, b);
  if (permitted_a != permitted_b) return permitted_a < permitted_b;
  return a == wide && b != wide;
}

/* The values that are tighter than the one that was reached, in the order in which they are tried.
 */
static size_t list_values(const infer_t *infer, size_t permission, uint8_t out_values[VALUES_MAX]) {
  const char *name = contract_permission_name(permission);
  const contract_t named = contract_wide();
  uint8_t present = infer->contract.values[permission], wide = named.values[permission];
  size_t count = 0;
  g_assert(contract_value_count(name) <= VALUES_MAX);
  for (uint8_t value = 0; value < contract_value_count(name); value++) {
    if (value == present || !contract_value_permits(name, present, value)) continue;
    size_t place = count++;
    for (; place > 0 && comes_before(name, value, out_values[place - 1], wide); place--) {
      out_values[place] = out_values[place - 1];
    }
    out_values[place] = value;
  }
  return count;
}

/* ---- A value --------------------------------------------------------------------------------- */

/* A contract with one tighter value, held against all cases. */
typedef struct attempt {
  infer_t *infer;
  const infer_options_t *options;
  contract_t contract;
  size_t telling;
  bool differs;         /* The fast sets of some case. */
  const kept_t *broken; /* A case that does not conform to it, or NULL. */
} attempt_t;

/* Which cases are held against it: those of the sample and the others, whose fast sets differ; then
 * those with the same fast sets, of which only whether they conform is asked. */
typedef enum pass { PASS_SAMPLE, PASS_OTHERS, PASS_EQUAL } pass_t;

static bool is_stopped(const infer_options_t *options) {
  return options->stop != NULL && *options->stop != 0;
}

/* Under the contract that was reached. */
static status_t make_sets(infer_t *infer, failure_t *error) {
  if (infer->has_sets) return STATUS_OK;
  arena_reset(&infer->sets);
  for (guint i = 0; i < infer->cases->len; i++) {
    kept_t *kept = case_at(infer, i);
    bool is_known;
    STATUS_TRY(kept_accept(kept, &infer->contract, &infer->sets, kept->accepts, &is_known, error));
    g_assert(is_known);
  }
  infer->has_sets = true;
  return STATUS_OK;
}

/* The case that breaks a contract comes first from here on: it will break others. */
static void note_broken(attempt_t *attempt, guint index) {
  GPtrArray *cases = attempt->infer->cases;
  attempt->broken = case_at(attempt->infer, index);
  gpointer first = g_ptr_array_index(cases, 0);
  g_ptr_array_index(cases, 0) = g_ptr_array_index(cases, index);
  g_ptr_array_index(cases, index) = first;
}

/* One case: whether it conforms, and could have told. */
static status_t try_case(attempt_t *attempt, guint index, pass_t pass, failure_t *error) {
  infer_t *infer = attempt->infer;
  const kept_t *kept = case_at(infer, index);
  accept_t accepts[CASE_RESULTS_MAX];
  bool is_known, conforms = false, tells = false;
  STATUS_TRY(kept_accept(kept, &attempt->contract, &infer->scratch, accepts, &is_known, error));
  bool is_equal = is_known && kept_accepts_equal(kept, accepts) &&
                  kept_asks_about_rows(kept, &attempt->contract) ==
                      kept_asks_about_rows(kept, &infer->contract);
  attempt->differs |= !is_equal;
  if (is_equal != (pass == PASS_EQUAL)) return STATUS_OK;
  if (is_known) {
    STATUS_TRY(kept_conforms(kept, &attempt->contract, accepts, &infer->scratch, &conforms, error));
  }
  if (!conforms) {
    note_broken(attempt, index);
    return STATUS_OK;
  }
  if (is_equal || attempt->telling >= attempt->options->telling_min) return STATUS_OK;
  const kept_rivals_t rivals = {&infer->contract, &attempt->contract, accepts};
  STATUS_TRY(kept_tells(kept, &rivals, &infer->scratch, &tells, error));
  attempt->telling += tells;
  return STATUS_OK;
}

static status_t try_cases(attempt_t *attempt, pass_t pass, failure_t *error) {
  infer_t *infer = attempt->infer;
  for (guint i = 0; i < infer->cases->len && attempt->broken == NULL; i++) {
    if (is_stopped(attempt->options)) return STATUS_OK;
    if (pass != PASS_EQUAL && case_at(infer, i)->is_sample != (pass == PASS_SAMPLE)) continue;
    arena_reset(&infer->scratch);
    STATUS_TRY(try_case(attempt, i, pass, error));
  }
  return STATUS_OK;
}

static const char *line_of(infer_t *infer, const kept_t *kept) {
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(&kept->instance, line);
  char *text = arena_alloc(&infer->arena, line->len + 1);
  memcpy(text, line->str, line->len + 1);
  return text;
}

static status_t try_value(infer_t *infer, const infer_options_t *options, size_t permission,
                          uint8_t value, bool *out_is_withdrawn, failure_t *error) {
  infer_finding_t *finding = &infer->findings[permission];
  attempt_t attempt = {.infer = infer, .options = options, .contract = infer->contract};
  attempt.contract.values[permission] = value;
  *out_is_withdrawn = false;
  STATUS_TRY(make_sets(infer, error));
  STATUS_TRY(try_cases(&attempt, PASS_SAMPLE, error));
  if (attempt.differs) STATUS_TRY(try_cases(&attempt, PASS_OTHERS, error));
  bool is_told = attempt.broken != NULL || attempt.telling >= options->telling_min;
  if (is_told && attempt.broken == NULL) STATUS_TRY(try_cases(&attempt, PASS_EQUAL, error));
  if (is_stopped(options)) return STATUS_OK;
  if (attempt.broken != NULL) {
    if (finding->state != INFER_UNTRIED) return STATUS_OK;
    *finding =
        (infer_finding_t){.state = INFER_NEEDED, .case_line = line_of(infer, attempt.broken)};
    return STATUS_OK;
  }
  if (!is_told) {
    *finding = (infer_finding_t){.state = INFER_UNTOLD, .telling = attempt.telling};
    return STATUS_OK;
  }
  *finding = (infer_finding_t){.state = INFER_WITHDRAWN, .telling = attempt.telling};
  infer->contract = attempt.contract;
  infer->has_sets = false;
  *out_is_withdrawn = true;
  return STATUS_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static status_t try_permission(infer_t *infer, const infer_options_t *options, size_t permission,
                               bool *out_is_withdrawn, failure_t *error) {
  uint8_t values[VALUES_MAX];
  size_t count = list_values(infer, permission, values);
  infer_finding_t *finding = &infer->findings[permission], before = *finding;
  *out_is_withdrawn = false;
  *finding = (infer_finding_t){.state = INFER_UNTRIED};
  for (size_t i = 0; i < count && !*out_is_withdrawn && !is_stopped(options); i++) {
    STATUS_TRY(try_value(infer, options, permission, values[i], out_is_withdrawn, error));
  }
  /* Of one that was withdrawn before, that is what counts. */
  bool is_new = *out_is_withdrawn || before.state != INFER_WITHDRAWN;
  if (!is_new || finding->state == INFER_UNTRIED) *finding = before;
  return STATUS_OK;
}

static size_t component_count(const kept_t *kept) {
  const program_t *program = &kept->instance.program;
  size_t count = 0;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    count += type_component_count(&program->operands[i]);
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    count += type_component_count(&program->results[i]);
  }
  return count;
}

static gint compare_counts(gconstpointer a, gconstpointer b, gpointer unused) {
  size_t count_a = *(const size_t *)a, count_b = *(const size_t *)b;
  (void)unused;
  return (count_a > count_b) - (count_a < count_b);
}

/* The cases of an op: kept_t. */
static GPtrArray *cases_of(const infer_t *infer, const op_t *op) {
  GPtrArray *cases = g_ptr_array_new();
  for (guint i = 0; i < infer->cases->len; i++) {
    kept_t *kept = case_at(infer, i);
    if (kept->instance.program.op == op) g_ptr_array_add(cases, kept);
  }
  return cases;
}

/* The samples of an op: spread over its cases, since neighbours are of one program, and none that
 * is far greater than half of them. */
static void choose_samples_of(const infer_t *infer, const op_t *op) {
  g_autoptr(GPtrArray) cases = cases_of(infer, op);
  g_autofree size_t *counts = g_new(size_t, cases->len);
  for (guint i = 0; i < cases->len; i++) {
    counts[i] = component_count((const kept_t *)g_ptr_array_index(cases, i));
  }
  g_qsort_with_data(counts, (gint)cases->len, sizeof *counts, compare_counts, NULL);
  size_t great = GREAT * counts[cases->len / 2];
  for (guint i = 0; i < cases->len; i++) {
    kept_t *kept = (kept_t *)g_ptr_array_index(cases, i);
    bool is_chosen = i % ((cases->len + SAMPLES - 1) / SAMPLES) == 0;
    kept->is_sample = is_chosen && component_count(kept) <= great;
  }
}

static void choose_samples(infer_t *infer) {
  GHashTableIter ops;
  gpointer op;
  g_hash_table_iter_init(&ops, infer->ops);
  while (g_hash_table_iter_next(&ops, &op, NULL)) choose_samples_of(infer, (const op_t *)op);
}

status_t infer_solve(infer_t *infer, const infer_options_t *options, failure_t *error) {
  bool has_changed = infer->cases->len > 0;
  choose_samples(infer);
  for (unsigned round = 1; has_changed; round++) {
    has_changed = false;
    for (size_t i = 0; i < contract_permission_count(); i++) {
      if (is_stopped(options)) return STATUS_OK;
      if (options->on_permission != NULL) options->on_permission(options->context, i, round);
      bool is_withdrawn;
      STATUS_TRY(try_permission(infer, options, i, &is_withdrawn, error));
      has_changed |= is_withdrawn;
    }
  }
  return STATUS_OK;
}
