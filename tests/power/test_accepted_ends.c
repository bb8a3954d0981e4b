/* SPDX-License-Identifier: Apache-2.0 */
/* Ends and specials of what conforms, as assay_accept() finds them, against a search that asks
 * about patterns alone, over every op, on drawn cases of all strata; and the ranges that oracles
 * know (theory.md, T290) against what decide() says of all patterns of small types, and of those
 * near the ends of others. */
#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gen/gen.h"
#include "harness/power/accepted_ends.h"
#include "harness/power/measure.h"

#ifdef ASSAY_SANITIZE
enum { PROGRAMS = 3 };
#else
enum { PROGRAMS = 16 };
#endif
enum { COMPONENTS_A_CASE = 3, SHOWN_MAX = 8 };

static const char *const contracts[] = {
    "wide",
    "backend",
    "spec",
    "spec,order=any",
    "backend,zero_sign=any",
    "backend,ftz=both",
    "wide,ftz=none,compensated=no",
    "backend,init_count=1",
    "backend,accum_wider=no",
    "backend,default_precision=bf16_x3",
};

typedef struct counts {
  size_t by_ranges, compared, patterns, unknown_before, wrong;
} counts_t;

/* A case under a contract, with one value for each component. */
typedef struct subject {
  arena_t *arena;
  decision_memo_t memo, plain_memo;
  contract_t contract;
  const oracle_t *oracle;
  const case_t *instance;
  accept_t accepts[CASE_RESULTS_MAX];
  tensor_t results[CASE_RESULTS_MAX];
  tolerance_question_t quick, plain;
  counts_t *counts;
} subject_t;

static bool is_silent(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

/* ---- By asking alone ------------------------------------------------------------------------- */

static status_t ask_specials(const tolerance_question_t *question, uint32_t result,
                             size_t component, uint8_t *out_specials, failure_t *error) {
  const format_t *format = question->results[result].type.element->format;
  special_pattern_t patterns[SPECIAL_PATTERN_COUNT];
  *out_specials = 0;
  if (format == NULL) return STATUS_OK;
  special_patterns(format, patterns);
  for (size_t i = 0; i < SPECIAL_PATTERN_COUNT; i++) {
    answer_t answer;
    if (!patterns[i].exists) continue;
    STATUS_TRY(tolerance_ask(question, result, component, patterns[i].bits, &answer, error));
    if (answer.conforms) *out_specials |= patterns[i].flag;
  }
  return STATUS_OK;
}

static status_t search_beside(const tolerance_question_t *question, uint32_t result,
                              size_t component, uint8_t specials, tolerance_t *inout,
                              failure_t *error) {
  const element_t *element = question->results[result].type.element;
  uint8_t held = specials & (ACCEPTED_POSITIVE_INFINITY | ACCEPTED_NEGATIVE_INFINITY);
  if (element->format == NULL || held == 0) return STATUS_OK;
  uint64_t bits = element->format->largest_bits;
  if (held == ACCEPTED_NEGATIVE_INFINITY) bits |= UINT64_C(1) << (element->format->bits - 1);
  tensor_t *tensor = &question->results[result];
  uint64_t before = element_load(element, tensor->data, component);
  element_store(element, tensor->data, component, bits);
  status_t status = tolerance_find(question, result, component, inout, error);
  element_store(element, tensor->data, component, before);
  if (is_silent(status)) inout->is_measured = false;
  return is_silent(status) ? STATUS_OK : status;
}

static accepted_ends_t search(const tolerance_question_t *question, uint32_t result,
                              size_t component) {
  failure_t error = {0};
  tolerance_t tolerance = {0};
  uint8_t specials = 0;
  status_t status = tolerance_find(question, result, component, &tolerance, &error);
  if (status == STATUS_OK) status = ask_specials(question, result, component, &specials, &error);
  if (status == STATUS_OK && !tolerance.is_measured)
    status = search_beside(question, result, component, specials, &tolerance, &error);
  if (is_silent(status)) return (accepted_ends_t){.is_unknown = true};
  if (status != STATUS_OK) g_error("%s", error.text);
  return (accepted_ends_t){.has_ends = tolerance.is_measured,
                           .lowest = tolerance.lowest,
                           .highest = tolerance.highest,
                           .specials = specials};
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static void complain(const subject_t *subject, uint32_t result, size_t component,
                     const char *what) {
  if (subject->counts->wrong++ >= SHOWN_MAX) return;
  g_autoptr(GString) line = g_string_new(NULL);
  g_autoptr(GString) contract = g_string_new(NULL);
  case_print(subject->instance, line);
  contract_print_short(&subject->contract, contract);
  g_test_message("%s: result %u, component %zu of %s under %s", what, result, component, line->str,
                 contract->str);
}

static bool are_equal(const accepted_ends_t *a, const accepted_ends_t *b) {
  if (a->is_unknown != b->is_unknown || a->has_ends != b->has_ends || a->specials != b->specials)
    return false;
  return !a->has_ends || (a->lowest == b->lowest && a->highest == b->highest);
}

static void compare_ends(const subject_t *subject, uint32_t result, size_t component,
                         const accepted_ends_t *quick) {
  const accepted_ends_t plain = search(&subject->plain, result, component);
  subject->counts->compared++;
  subject->counts->unknown_before += plain.is_unknown && !quick->is_unknown;
  if (plain.is_unknown || are_equal(&plain, quick)) return;
  g_autofree char *what = g_strdup_printf(
      "ends %" PRIx64 " .. %" PRIx64 " (%d, %d, %x), and by asking %" PRIx64 " .. %" PRIx64
      " (%d, %d, %x)",
      quick->lowest, quick->highest, quick->has_ends, quick->is_unknown, quick->specials,
      plain.lowest, plain.highest, plain.has_ends, plain.is_unknown, plain.specials);
  complain(subject, result, component, what);
}

/* Asks about the pattern at a place from the ends on, or every one of a small type. */
static uint64_t pattern_of(const format_t *format, const uint64_t ends[2], uint64_t number) {
  if (format->bits <= 8) return number;
  int64_t steps[] = {-2, -1, 0, 1, 2, -40, 40};
  int64_t place = format_ordinal(format, ends[number % 2]) + steps[number / 2 % 7];
  int64_t last = format_ordinal(format, format->largest_bits);
  return format_from_ordinal(format, CLAMP(place, -last, last));
}

static void compare_ranges(const subject_t *subject, uint32_t result, size_t component,
                           const accepted_ranges_t *ranges) {
  const format_t *format = subject->results[result].type.element->format;
  uint64_t ends[2] = {0, 0};
  accepted_ranges_hull(ranges, format, ends);
  uint64_t count = format->bits <= 8 ? UINT64_C(1) << format->bits : 14;
  for (uint64_t i = 0; i < count; i++) {
    answer_t answer;
    failure_t error = {0};
    uint64_t bits = pattern_of(format, ends, i);
    status_t status = tolerance_ask(&subject->plain, result, component, bits, &answer, &error);
    subject->counts->patterns++;
    if (status == STATUS_OK && answer.conforms == accepted_ranges_hold(ranges, format, bits))
      continue;
    g_autofree char *what = g_strdup_printf("pattern %" PRIx64 " (status %d)", bits, (int)status);
    complain(subject, result, component, what);
  }
}

static bool has_ranges(const subject_t *subject, uint32_t result) {
  const type_t *type = &subject->instance->program.results[result];
  const format_t *format = type->element->format;
  return subject->oracle->ranges != NULL && format != NULL && type->quantization == NULL &&
         format->specials != FORMAT_EXPONENT_ONLY;
}

static void compare_result(const subject_t *subject, uint32_t result, rng_t *rng) {
  const size_t count = type_component_count(&subject->results[result].type);
  if (count == 0) return;
  const component_span_t span = {rng_below(rng, count), 1 + rng_below(rng, COMPONENTS_A_CASE)};
  const component_span_t asked = {span.first, MIN(span.count, count - span.first)};
  accepted_ends_t ends[COMPONENTS_A_CASE];
  accepted_ranges_t ranges[COMPONENTS_A_CASE];
  failure_t error = {0};
  status_t status = accepted_ends_find(&subject->quick, result, asked, ends, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  const oracle_call_t call = {.instance = subject->instance,
                              .contract = &subject->contract,
                              .memo = subject->quick.memo,
                              .arena = subject->arena,
                              .error = &error};
  bool are_known = has_ranges(subject, result) &&
                   subject->oracle->ranges(&call, result, asked, ranges) == STATUS_OK;
  for (size_t i = 0; i < asked.count; i++) {
    compare_ends(subject, result, asked.first + i, &ends[i]);
    if (!are_known || !ranges[i].is_known) continue;
    subject->counts->by_ranges++;
    compare_ranges(subject, result, asked.first + i, &ranges[i]);
  }
}

/* ---- Drawn cases ----------------------------------------------------------------------------- */

static void compare_case(const case_t *instance, const char *contract, rng_t *rng, arena_t *arena,
                         counts_t *counts) {
  subject_t subject = {.arena = arena, .instance = instance, .counts = counts};
  failure_t error = {0};
  if (contract_parse(str_from(contract), &subject.contract, &error) != STATUS_OK)
    g_error("%s: %s", contract, error.text);
  if (program_broken_under(&instance->program, NULL, &subject.contract) != NULL) return;
  subject.oracle = oracle_find(instance->program.op);
  const uint8_t *known[CASE_RESULTS_MAX];
  const oracle_call_t call = {
      .instance = instance, .contract = &subject.contract, .arena = arena, .error = &error};
  if (subject.oracle->accept(&call, subject.accepts) != STATUS_OK) return;
  status_t status =
      power_fill_known(subject.oracle, &call, subject.accepts, subject.results, known);
  if (is_silent(status)) return;
  decision_memo_init(&subject.memo);
  decision_memo_init(&subject.plain_memo);
  subject.plain = (tolerance_question_t){.oracle = subject.oracle,
                                         .instance = instance,
                                         .contract = &subject.contract,
                                         .results = subject.results,
                                         .memo = &subject.plain_memo,
                                         .arena = arena};
  subject.quick = subject.plain;
  subject.quick.memo = &subject.memo;
  subject.quick.accepts = subject.accepts;
  for (uint32_t r = 0; r < instance->program.result_count; r++) compare_result(&subject, r, rng);
  decision_memo_deinit(&subject.memo);
  decision_memo_deinit(&subject.plain_memo);
}

static void draw_and_compare(const op_t *op, rng_t *rng, size_t number, counts_t *counts) {
  static const stratum_t strata[] = {STRATUM_corner, STRATUM_tiles, STRATUM_corner,
                                     STRATUM_deployment, STRATUM_long};
  const stratum_t stratum = strata[number % G_N_ELEMENTS(strata)];
  const char *contract = contracts[number % G_N_ELEMENTS(contracts)];
  arena_t arena;
  arena_init(&arena);
  gen_options_t gen = gen_options_default();
  contract_t drawn_under = contract_backend();
  gen.contract = &drawn_under;
  gen.invalid_one_in = 0;
  if (stratum != STRATUM_corner) gen.limits = stratum_limits(stratum, rng);
  program_t program;
  const char *broken;
  gen_program(rng, op, &gen, &arena, &program, &broken);
  if (oracle_find(op) != NULL && program_terms(&program) <= 4096) {
    case_t instance = case_make(&arena, &program);
    gen_data_in_stratum(rng, number % 2 == 0 ? STRATUM_deployment : stratum, &instance);
    compare_case(&instance, contract, rng, &arena, counts);
  }
  arena_deinit(&arena);
}

static size_t programs_of_op(void) {
  const char *text = g_getenv("ASSAY_ENDS_PROGRAMS");
  return text == NULL ? PROGRAMS : (size_t)g_ascii_strtoull(text, NULL, 10);
}

static counts_t compare_ops(void) {
  counts_t counts = {0};
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    counts_t before = counts;
    rng_t rng = rng_make(g_str_hash((*op)->name));
    for (size_t i = 0; i < programs_of_op(); i++) draw_and_compare(*op, &rng, i, &counts);
    g_test_message("%s: %zu components, %zu by ranges", (*op)->name,
                   counts.compared - before.compared, counts.by_ranges - before.by_ranges);
  }
  return counts;
}

static void test_all_ops(void) {
  const counts_t counts = compare_ops();
  g_test_message("%zu components, %zu of them by ranges, %zu patterns; %zu known by ranges alone",
                 counts.compared, counts.by_ranges, counts.patterns, counts.unknown_before);
  g_assert_cmpuint(counts.wrong, ==, 0);
  g_assert_cmpuint(counts.compared, >=, PROGRAMS * 40);
  g_assert_cmpuint(counts.by_ranges, >=, PROGRAMS * 15);
}

/* ---- Sums of all lengths --------------------------------------------------------------------- */

/* Trees decide those of few terms, ends of trees cut off the ranges of up to 14, and compensated
 * loops may leave those of up to 64. */
static void compare_line(const char *line, size_t number, rng_t *rng, counts_t *counts) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  program_t program;
  if (program_parse(str_from(line), &arena, &program, NULL, &error) != STATUS_OK)
    g_error("%s: %s", line, error.text);
  case_t instance = case_make(&arena, &program);
  static const stratum_t strata[] = {STRATUM_deployment, STRATUM_corner, STRATUM_tiles};
  gen_data_in_stratum(rng, strata[number % G_N_ELEMENTS(strata)], &instance);
  compare_case(&instance, contracts[number % G_N_ELEMENTS(contracts)], rng, &arena, counts);
  arena_deinit(&arena);
}

static void test_sums(void) {
  static const size_t lengths[] = {1, 2, 5, 8, 9, 11, 13, 14, 15, 33, 64, 65, 130};
  static const char *const types[][2] = {{"f32", "f32"},      {"bf16", "bf16"}, {"bf16", "f32"},
                                         {"f16", "f16"},      {"f64", "f64"},   {"f8E4M3FN", "f32"},
                                         {"f8E5M2", "f8E5M2"}};
  counts_t counts = {0};
  rng_t rng = rng_make(290);
  size_t number = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    for (size_t k = 0; k < 2 * G_N_ELEMENTS(contracts); k++) {
      const bool is_of_f32 = strstr(contracts[k % G_N_ELEMENTS(contracts)], "precision") != NULL;
      const char *const *type = types[is_of_f32 ? 0 : rng_below(&rng, G_N_ELEMENTS(types))];
      g_autofree char *dot = g_strdup_printf(
          "stablehlo.dot_general batch=[]x[] contract=[1]x[0] %s[3,%zu] %s[%zu,2] "
          "-> %s[3,2]",
          type[0], lengths[i], type[0], lengths[i], type[1]);
      g_autofree char *sum = g_strdup_printf(
          "stablehlo.reduce body=add dims=[1] %s[4,%zu] %s[] -> "
          "%s[4]",
          type[0], lengths[i], type[0], type[0]);
      compare_line(dot, number, &rng, &counts);
      compare_line(sum, number++, &rng, &counts);
    }
  }
  g_test_message("%zu components, %zu of them by ranges, %zu patterns", counts.compared,
                 counts.by_ranges, counts.patterns);
  g_assert_cmpuint(counts.wrong, ==, 0);
  g_assert_cmpuint(counts.by_ranges, >=, counts.compared / 4);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/accepted_ends/all_ops", test_all_ops);
  g_test_add_func("/accepted_ends/sums", test_sums);
  return g_test_run();
}
