/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles and bisects the size of an axis, by a digest of bits that do not depend on it unless the
 * implementation does. */
#include "harness/identify/threshold_search.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/clock.h"
#include "harness/gen/gen.h"
#include "oracles/oracle.h"

enum {
  DATA_SETS = 4, /* The last two are long. */
  SHORT_SETS = 2,
  EVALUATIONS_MAX = 600,
  THRESHOLDS_MAX = 32, /* More than that is a rule by sizes, and no thresholds. */
  NEAR = 16,           /* Sizes nearer to one another than that are not looked at between others. */
  TIMED_RUNS = 5,
  POISON = 0xa5,
};

/* What is known of a size: bits of short data, and of long ones where an axis of terms holds them.
 */
typedef struct sight {
  digest_t digest, digest_of_long;
  bool has_long;
  char implementation[64];
} sight_t;

typedef struct search {
  const threshold_search_options_t *options;
  threshold_search_t *out;
  axes_t axes;
  arena_t arena;   /* Of the largest cases. */
  arena_t scratch; /* Of one evaluation. */
  case_t masters[DATA_SETS];
  GHashTable *sights; /* int64_t * to sight_t *, owned. */
} search_t;

const char *threshold_outcome_spelling(threshold_outcome_t outcome) {
  static const char *const spellings[THRESHOLD_OUTCOME_COUNT] = {
#define OUTCOME(name, spelling) spelling,
      THRESHOLD_OUTCOMES(OUTCOME)
#undef OUTCOME
  };
  return spellings[outcome];
}

static bool is_term(const search_t *search) {
  return search->axes.items[search->options->axis].role == AXIS_TERM;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* The number of an element along the axis, in a tensor with this list of axes. */
static size_t index_along(const type_t *type, int place, size_t element) {
  for (uint32_t dim = type->rank; dim-- > (uint32_t)place + 1;) {
    element /= (size_t)type->dims[dim];
  }
  return element % (size_t)type->dims[place];
}

/* Zeros in the place of all terms but the first ones. */
static void clear_terms(const search_t *search, size_t kept, case_t *inout_case) {
  for (uint32_t i = 0; i < inout_case->program.operand_count; i++) {
    int place = axis_list_find(&search->axes.operands[i], search->options->axis);
    tensor_t *operand = &inout_case->operands[i];
    if (place < 0) continue;
    const element_t *element = operand->type.element;
    for (size_t k = 0; k < type_component_count(&operand->type); k++) {
      size_t index = index_along(&operand->type, place, k / element->components);
      if (index >= kept) element_store(element, operand->data, k, 0);
    }
  }
}

/* The largest cases, of which all others have the first entries.  False if there are none. */
static bool make_masters(search_t *search) {
  const threshold_search_options_t *options = search->options;
  axes_t axes = search->axes;
  axes.items[options->axis].size = options->size_max;
  program_t program;
  if (!axes_program(options->program, &axes, &search->arena, &program)) return false;
  search->axes = axes;
  for (int i = 0; i < DATA_SETS; i++) {
    rng_t rng = rng_make(options->seed + (uint64_t)i);
    search->masters[i] = case_make(&search->arena, &program);
    gen_data_in_regime(&rng, REGIME_uniform, &search->masters[i]);
    size_t kept = i < SHORT_SETS ? THRESHOLD_TERMS : THRESHOLD_LONG_TERMS;
    if (is_term(search)) clear_terms(search, kept, &search->masters[i]);
  }
  return true;
}

static bool case_of_size(search_t *search, int set, int64_t size, case_t *out_case) {
  const axes_selection_t everything = {0};
  axes_t view = search->axes;
  view.items[search->options->axis].size = size;
  return axes_view(&search->masters[set], &search->axes, &everything, &view, &search->scratch,
                   out_case);
}

/* ---- Bits ------------------------------------------------------------------------------------ */

/* Of the first entry along the axis, or of results that do not have it, of all. */
static void append_bits(const search_t *search, const tensor_t *results, uint32_t count,
                        GByteArray *out_bytes) {
  for (uint32_t i = 0; i < count; i++) {
    const type_t *type = &results[i].type;
    int place = axis_list_find(&search->axes.results[i], search->options->axis);
    for (size_t k = 0; k < type_component_count(type); k++) {
      size_t element = k / type->element->components;
      if (place >= 0 && index_along(type, place, element) != 0) continue;
      uint64_t bits = element_load(type->element, results[i].data, k);
      g_byte_array_append(out_bytes, (const guint8 *)&bits, sizeof bits);
    }
  }
}

static bool fail(search_t *search, threshold_outcome_t outcome, const char *reason) {
  search->out->outcome = outcome;
  snprintf(search->out->reason, sizeof search->out->reason, "%.191s", reason);
  return false;
}

static bool run_once(search_t *search, const case_t *instance, executor_program_t **out_program,
                     tensor_t *out_results) {
  executor_t *executor = search->options->executor;
  char reason[192] = "";
  executor_outcome_t outcome =
      executor_compile(executor, &instance->program, out_program, reason, sizeof reason);
  if (outcome == EXECUTOR_OK) {
    for (uint32_t i = 0; i < instance->program.result_count; i++) {
      out_results[i] = tensor_make(&search->scratch, &instance->program.results[i]);
    }
    execution_t execution =
        executor_execute(executor, *out_program, instance->operands, POISON, out_results);
    outcome = execution.outcome;
    snprintf(reason, sizeof reason, "%s", execution.reason);
  }
  if (outcome == EXECUTOR_OK) return true;
  bool is_refusal = outcome == EXECUTOR_REFUSED || outcome == EXECUTOR_REJECTED;
  return fail(search, is_refusal ? THRESHOLD_OUTCOME_refused : THRESHOLD_OUTCOME_failed, reason);
}

static bool evaluate_set(search_t *search, int set, int64_t size, sight_t *out_sight,
                         GByteArray *out_bytes) {
  case_t instance;
  if (!case_of_size(search, set, size, &instance)) {
    return fail(search, THRESHOLD_OUTCOME_refused, "no valid program has that size");
  }
  tensor_t results[CASE_RESULTS_MAX];
  executor_program_t *program = NULL;
  guint begin = out_bytes->len;
  if (!run_once(search, &instance, &program, results)) return false;
  append_bits(search, results, instance.program.result_count, out_bytes);
  g_strlcpy(out_sight->implementation, executor_implementation(search->options->executor, program),
            sizeof out_sight->implementation);
  g_autoptr(GByteArray) again = g_byte_array_new();
  if (!run_once(search, &instance, &program, results)) return false;
  append_bits(search, results, instance.program.result_count, again);
  bool is_same = again->len == out_bytes->len - begin &&
                 (again->len == 0 || memcmp(again->data, out_bytes->data + begin, again->len) == 0);
  return is_same || fail(search, THRESHOLD_OUTCOME_unrepeatable, "");
}

/* NULL, and the outcome is set, if the executor gives nothing to compare. */
static const sight_t *look_at(search_t *search, int64_t size) {
  sight_t *known = g_hash_table_lookup(search->sights, &size);
  if (known != NULL) return known;
  const volatile sig_atomic_t *stop = search->options->stop;
  if ((stop != NULL && *stop != 0) || search->out->evaluations >= EVALUATIONS_MAX) {
    bool is_stop = stop != NULL && *stop != 0;
    fail(search, is_stop ? THRESHOLD_OUTCOME_stopped : THRESHOLD_OUTCOME_throughout, "");
    return NULL;
  }
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  g_autoptr(GByteArray) of_long = g_byte_array_new();
  sight_t sight = {.implementation = ""};
  sight.has_long = !is_term(search) || size >= THRESHOLD_LONG_TERMS;
  for (int set = 0; set < (sight.has_long ? DATA_SETS : SHORT_SETS); set++) {
    arena_reset(&search->scratch);
    GByteArray *out = set < SHORT_SETS ? bytes : of_long;
    if (!evaluate_set(search, set, size, &sight, out)) return NULL;
  }
  sight.digest = digest_of(bytes->data, bytes->len);
  sight.digest_of_long = digest_of(of_long->data, of_long->len);
  search->out->evaluations++;
  search->out->size_seen = MAX(search->out->size_seen, size);
  int64_t *key = g_new(int64_t, 1);
  *key = size;
  g_hash_table_insert(search->sights, key, g_memdup2(&sight, sizeof sight));
  return g_hash_table_lookup(search->sights, &size);
}

static bool is_same_digest(digest_t a, digest_t b) { return a.high == b.high && a.low == b.low; }

static bool is_alike(const sight_t *a, const sight_t *b) {
  bool is_long_alike =
      !a->has_long || !b->has_long || is_same_digest(a->digest_of_long, b->digest_of_long);
  return is_long_alike && is_same_digest(a->digest, b->digest) &&
         strcmp(a->implementation, b->implementation) == 0;
}

/* What a model gives for a case of that size; false if it gives nothing. */
static bool simulate(search_t *search, int set, int64_t size, const char *order,
                     GByteArray *out_bytes) {
  const oracle_t *oracle = oracle_find(search->options->program->op);
  arena_reset(&search->scratch);
  case_t instance;
  if (oracle == NULL || oracle->simulate == NULL || !case_of_size(search, set, size, &instance)) {
    return false;
  }
  failure_t ignored;
  implementation_model_t schedule = schedule_plain();
  scan_t scan = scan_make(str_from(order));
  if (sum_order_parse(&scan, &search->scratch, &schedule.order, &ignored) != STATUS_OK) {
    return false;
  }
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t k = 0; k < instance.program.result_count; k++) {
    results[k] = tensor_make(&search->scratch, &instance.program.results[k]);
  }
  const oracle_call_t call = {.instance = &instance, .arena = &search->scratch, .error = &ignored};
  if (oracle->simulate(&call, &schedule, results) != STATUS_OK) return false;
  append_bits(search, results, instance.program.result_count, out_bytes);
  return true;
}

static bool are_same_bytes(const GByteArray *a, const GByteArray *b) {
  return a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

/* Whether another order of summation shows in the bits, else they tell nothing of the
 * implementation; and, of an axis of terms, whether the same terms with more zeros behind them are
 * the same sum by one order. */
static bool is_comparable(search_t *search, int64_t size) {
  int64_t more = is_term(search) ? MIN(2 * size, search->options->size_max) : size;
  g_autoptr(GByteArray) shorter = g_byte_array_new();
  g_autoptr(GByteArray) longer = g_byte_array_new();
  g_autoptr(GByteArray) otherwise = g_byte_array_new();
  for (int set = 0; set < SHORT_SETS; set++) {
    if (!simulate(search, set, size, "sequential", shorter) ||
        !simulate(search, set, more, "sequential", longer) ||
        !simulate(search, set, size, "pairwise", otherwise)) {
      return false;
    }
  }
  return are_same_bytes(shorter, longer) && !are_same_bytes(shorter, otherwise);
}

/* ---- Search ---------------------------------------------------------------------------------- */

static void add_threshold(search_t *search, int64_t before, int64_t size) {
  const sight_t *low = look_at(search, before);
  const sight_t *high = look_at(search, size);
  threshold_t threshold = {.before = before, .size = size};
  g_strlcpy(threshold.implementation_before, low->implementation,
            sizeof threshold.implementation_before);
  g_strlcpy(threshold.implementation, high->implementation, sizeof threshold.implementation);
  g_array_append_val(search->out->thresholds, threshold);
}

/* All changes between two sizes of which the lower one is `low`; false if there are too many, or
 * the executor gives no answer.  Between near sizes a third kind of bits is taken for a tail's. */
static bool bisect(search_t *search, int64_t low, int64_t high) {
  const sight_t *at_low = look_at(search, low);
  const sight_t *at_high = look_at(search, high);
  if (at_low == NULL || at_high == NULL) return false;
  if (is_alike(at_low, at_high)) return true;
  if (search->out->thresholds->len >= THRESHOLDS_MAX) {
    return fail(search, THRESHOLD_OUTCOME_throughout, "");
  }
  if (high - low == 1) {
    add_threshold(search, low, high);
    return true;
  }
  int64_t middle = low + (high - low) / 2;
  const sight_t *at_middle = look_at(search, middle);
  if (at_middle == NULL) return false;
  if (is_alike(at_middle, at_low)) return bisect(search, middle, high);
  if (is_alike(at_middle, at_high)) return bisect(search, low, middle);
  if (high - low <= NEAR) {
    add_threshold(search, low, high);
    return true;
  }
  return bisect(search, low, middle) && bisect(search, middle, high);
}

static double time_of(search_t *search, int64_t size) {
  arena_reset(&search->scratch);
  case_t instance;
  executor_program_t *program = NULL;
  tensor_t results[CASE_RESULTS_MAX];
  double least = 0;
  if (!case_of_size(search, 0, size, &instance)) return 0;
  for (int i = 0; i < TIMED_RUNS; i++) {
    if (i == 0 && !run_once(search, &instance, &program, results)) return 0;
    uint64_t begin = clock_nanoseconds();
    executor_execute(search->options->executor, program, instance.operands, POISON, results);
    double seconds = (double)(clock_nanoseconds() - begin);
    if (i == 0 || seconds < least) least = seconds;
  }
  return least;
}

static void measure_times(search_t *search) {
  for (guint i = 0; i < search->out->thresholds->len; i++) {
    threshold_t *threshold = &g_array_index(search->out->thresholds, threshold_t, i);
    double before = time_of(search, threshold->before);
    threshold->time_ratio = before > 0 ? time_of(search, threshold->size) / before : 0;
  }
}

static void run(search_t *search) {
  int64_t size = is_term(search) ? THRESHOLD_TERMS : 1;
  if (!make_masters(search)) {
    fail(search, THRESHOLD_OUTCOME_refused, "no valid program has these sizes");
    return;
  }
  if (size >= search->options->size_max || !is_comparable(search, size)) {
    fail(search, THRESHOLD_OUTCOME_not_comparable, "");
    return;
  }
  bool goes_on = look_at(search, size) != NULL;
  while (goes_on && size < search->options->size_max) {
    int64_t next = MIN(2 * size, search->options->size_max);
    goes_on = bisect(search, size, next);
    size = next;
  }
  if (search->out->outcome == THRESHOLD_OUTCOME_found) measure_times(search);
}

threshold_search_t threshold_search_run(const threshold_search_options_t *options) {
  threshold_search_t out = {.outcome = THRESHOLD_OUTCOME_found,
                            .thresholds = g_array_new(FALSE, FALSE, sizeof(threshold_t))};
  search_t search = {.options = options,
                     .out = &out,
                     .sights = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free)};
  bool has_axes = axes_of(options->program, &search.axes);
  g_assert(has_axes);
  arena_init(&search.arena);
  arena_init(&search.scratch);
  run(&search);
  arena_deinit(&search.arena);
  arena_deinit(&search.scratch);
  g_hash_table_destroy(search.sights);
  return out;
}

void threshold_search_deinit(threshold_search_t *search) { g_array_unref(search->thresholds); }
