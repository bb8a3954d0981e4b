/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each known dot algorithm against observed results: rough binary64 bounds exclude most,
 * fast accept sets most of the rest, and the remaining components are decided exactly up to a
 * limit. */
#include "oracles/ops/dot_general/consistent.h"

#include <math.h>

#include "generated/dot_general_permissions.h"
#include "generated/exact_permissions.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/in_order/in_order.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/sum/split.h"
#include "oracles/ops/dot_general/accept.h"
#include "oracles/ops/dot_general/gather.h"
#include "oracles/ops/dot_general/quantized/accept.h"

/* At most so many components are asked about one by one for each algorithm: further ones that no
 * fast set holds do not exclude it, so that a tensor full of NaN does not cost minutes. */
enum { ASKS_MAX = 256 };

/* And no more than go through so many schedules of an in-order contract in all, but a few. */
enum { SCHEDULES_WORK = 1 << 26, ASKS_MIN = 4 };

static size_t asks_of(const contract_t *contract, const dot_general_layout_t *layout) {
  const uint64_t steps =
      PERMITTED(contract, order) == ORDER_IN_ORDER ? in_order_steps(layout->term_count) : 0;
  return steps == 0 ? ASKS_MAX : (size_t)CLAMP(SCHEDULES_WORK / steps, ASKS_MIN, ASKS_MAX);
}

/* Rows, two pairs of types for each that leaves them open, the program's own and its neighbours. */
enum { CANDIDATES_MAX = 40 };

/* What is held against each algorithm. */
typedef struct evidence {
  const case_t *instance;
  const contract_t *contract;
  const tensor_t *result;
  dot_general_layout_t layout;
  size_t count; /* Components. */
} evidence_t;

static uint64_t bits_of(const evidence_t *evidence, size_t component) {
  return element_load(evidence->result->type.element, evidence->result->data, component);
}

static double value_of(const evidence_t *evidence, size_t component) {
  return format_to_double(evidence->result->type.element->format, bits_of(evidence, component));
}

/* Whether some operands have no number of their precision type. */
static bool leaves_open(const dot_plan_t *plan) {
  return plan->types[0]->format == NULL || plan->types[1]->format == NULL ||
         !format_has_nan(plan->types[0]->format) || !format_has_nan(plan->types[1]->format) ||
         !format_has_nan(plan->accumulation);
}

/* Whether a finite result has bits that the accumulation type has not. */
static bool leaves_grid(const evidence_t *evidence, const dot_plan_t *plan) {
  if (plan->result == NULL || plan->accumulation == NULL || leaves_open(plan)) return false;
  if (!arithmetic_format_holds(plan->result, plan->accumulation)) {
    return false;
  }
  for (size_t i = 0; i < evidence->count; i++) {
    double value = value_of(evidence, i);
    if (isfinite(value) && format_round_double(plan->accumulation, value) != value) return true;
  }
  return false;
}

/* What a sum of products is in binary64, and how far that may be off. */
typedef struct rough_sum {
  double sum;
  double magnitude;
  double error;
} rough_sum_t;

/* theory.md, T55. */
static rough_sum_t add_roughly(const sum_problem_t *question) {
  rough_sum_t rough = {0};
  for (size_t i = 0; i < question->count; i++) {
    double product = question->left[i] * question->right[i];
    rough.sum += product;
    rough.magnitude += fabs(product);
  }
  rough.error = ((double)question->count + 2) * 0x1p-52 * rough.magnitude;
  return rough;
}

/* Everything that may lie between the rough sum and a conforming result: the bound with its last
 * rounding, the conversion to the result type (theory.md, T24), and what is rough (T55). */
static double total_error(const sum_problem_t *question, const contract_t *contract,
                          const rough_sum_t *rough) {
  const bound_shape_t shape = {.terms = question->count,
                               .products_round = product_rounds(
                                   question->left_format, question->right_format, question->format),
                               .products_underflow = product_underflows(
                                   question->left_format, question->right_format, question->format),
                               .is_product = true,
                               .imprecise_bits = question->imprecise_bits};
  error_bound_t bound = error_bound_sum(question->format, contract, shape);
  upper_t slop = upper_of(2 * rough->error);
  upper_t magnitude = upper_add(upper_of(rough->magnitude), slop);
  upper_t error =
      upper_add(upper_scale(magnitude, bound.total_factor), upper_of(bound.total_offset));
  if (question->result != NULL) {
    upper_t size = upper_add(upper_add(upper_of(fabs(rough->sum)), slop), error);
    upper_t conversion = upper_add(upper_scale(size, format_unit_roundoff(question->result)),
                                   upper_of(format_smallest(question->result)));
    error = upper_add(error, conversion);
  }
  return upper_add(error, slop).value;
}

/* Whether a finite sum far from every overflow surely is not that algorithm's, however operands are
 * split: a cheap test, before anything exact is done. */
static bool surely_excludes(const evidence_t *evidence, const dot_plan_t *plan, size_t component,
                            arena_t *arena) {
  if (PERMITTED(evidence->contract, ftz) != FTZ_NONE) return false;
  if (plan->accumulation == NULL || plan->integer != NULL || leaves_open(plan)) return false;
  double got = value_of(evidence, component);
  if (!isfinite(got)) return false;
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(plan, evidence->contract, splits);
  dot_general_place_t place = dot_general_place(evidence->instance, &evidence->layout, component);
  const format_t *result = plan->result == NULL ? plan->accumulation : plan->result;
  double range =
      fmin(ldexp(1, plan->accumulation->exponent_max - 2), ldexp(1, result->exponent_max - 2));
  for (size_t i = 0; i < split_count; i++) {
    sum_problem_t question = dot_general_sum_question(evidence->instance, plan, splits[i],
                                                      &evidence->layout, place, arena);
    rough_sum_t rough = add_roughly(&question);
    if (!(rough.magnitude < range)) return false; /* NaN too. */
    if (rough.magnitude < 0x1p-900) return false; /* Products of f64 may underflow here. */
    double error = total_error(&question, evidence->contract, &rough);
    if (!(fabs(got - rough.sum) > error)) return false;
  }
  return true;
}

/* Asks the exact side; `out_holds` is left alone where it has no answer. */
static status_t decide(const evidence_t *evidence, const dot_plan_t *plan, size_t component,
                       arena_t *arena, bool *out_holds, failure_t *error) {
  answer_t answer = {0};
  arena_mark_t mark = arena_mark(arena);
  const oracle_call_t call = {.instance = evidence->instance,
                              .contract = evidence->contract,
                              .is_brief = true,
                              .is_any_way = true,
                              .arena = arena,
                              .error = error};
  status_t status =
      dot_general_decide_plan(&call, plan, component, bits_of(evidence, component), &answer);
  arena_rewind(arena, mark);
  if (status == STATUS_UNDECIDED) return STATUS_OK;
  if (status == STATUS_OK) *out_holds = answer.conforms;
  return status;
}

/* Marks what the fast sets of a split hold; returns how many components are left. */
static size_t mark_held(const evidence_t *evidence, const dot_plan_t *plan, split_t split,
                        arena_t *arena, uint8_t *inout_held) {
  const element_t *element = evidence->result->type.element;
  arena_mark_t mark = arena_mark(arena);
  const oracle_call_t call = {
      .instance = evidence->instance, .contract = evidence->contract, .arena = arena};
  accept_t accept = dot_general_accept_split(&call, &evidence->layout, plan, split);
  size_t left = 0;
  for (size_t i = 0; i < evidence->count; i++) {
    if (inout_held[i] != 0) continue;
    inout_held[i] = accept_holds(&accept, element, i, bits_of(evidence, i));
    left += inout_held[i] == 0;
  }
  arena_rewind(arena, mark);
  return left;
}

static status_t holds_all(const evidence_t *evidence, const dot_plan_t *plan, arena_t *arena,
                          bool *out_holds, failure_t *error) {
  enum { SCREENED = 3 };
  *out_holds = !leaves_grid(evidence, plan);
  for (size_t i = 0; i < SCREENED && i < evidence->count && *out_holds; i++) {
    *out_holds =
        !surely_excludes(evidence, plan, i * (evidence->count - 1) / (SCREENED - 1), arena);
  }
  if (!*out_holds) return STATUS_OK;
  uint8_t *held = arena_alloc_zeroed(arena, evidence->count);
  split_t splits[DOT_SPLITS_MAX];
  size_t split_count = dot_plan_splits(plan, evidence->contract, splits);
  size_t left = evidence->count;
  for (size_t i = 0; i < split_count && left > 0; i++) {
    left = mark_held(evidence, plan, splits[i], arena, held);
  }
  size_t asks = asks_of(evidence->contract, &evidence->layout);
  for (size_t i = 0; i < evidence->count && left > 0 && *out_holds && asks > 0; i++) {
    if (held[i] != 0) continue;
    asks--;
    STATUS_TRY(decide(evidence, plan, i, arena, out_holds, error));
  }
  return STATUS_OK;
}

static void add_name(const dot_algorithm_t *algorithm, GString *names) {
  if (names->len > 0) g_string_append_c(names, '|');
  dot_algorithm_print_name(algorithm, names);
}

static status_t try_algorithm(const evidence_t *evidence, const dot_algorithm_t *algorithm,
                              arena_t *arena, GString *out_names, failure_t *error) {
  dot_plan_t plan;
  const program_t *program = &evidence->instance->program;
  status_t status = dot_plan_make_for(program, algorithm, evidence->contract, &plan, error);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  bool holds;
  arena_mark_t mark = arena_mark(arena);
  status = holds_all(evidence, &plan, arena, &holds, error);
  arena_rewind(arena, mark);
  STATUS_TRY(status);
  if (holds) add_name(algorithm, out_names);
  return STATUS_OK;
}

/* The algorithms that results are held against, each once. */
typedef struct candidates {
  size_t count;
  dot_algorithm_t algorithms[CANDIDATES_MAX];
} candidates_t;

static void add_candidate(candidates_t *candidates, const dot_algorithm_t *algorithm) {
  for (size_t i = 0; i < candidates->count; i++) {
    if (dot_algorithm_equal(&candidates->algorithms[i], algorithm)) return;
  }
  g_assert(candidates->count < CANDIDATES_MAX);
  candidates->algorithms[candidates->count++] = *algorithm;
}

/* False if the row does not take these types. */
static bool add_row(candidates_t *candidates, const dot_algorithm_row_t *row, const format_t *lhs,
                    const format_t *rhs) {
  if (lhs == NULL || rhs == NULL) return false;
  if (!dot_algorithm_takes(row, lhs) || !dot_algorithm_takes(row, rhs)) return false;
  const dot_algorithm_t algorithm = dot_algorithm_of_row(row, lhs, rhs);
  add_candidate(candidates, &algorithm);
  return true;
}

/* A row that leaves the types of its operands open, with types that may have been meant. */
static void add_open_row(candidates_t *candidates, const program_t *program,
                         const dot_algorithm_row_t *row) {
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  const dot_algorithm_attribute_t *asked = &attributes->algorithm;
  bool has_own = attributes->has_algorithm &&
                 add_row(candidates, row, asked->lhs_type->format, asked->rhs_type->format);
  has_own |= add_row(candidates, row, program->operands[DOT_GENERAL_LHS].element->format,
                     program->operands[DOT_GENERAL_RHS].element->format);
  if (has_own) return;
  const format_t *e4m3 = &format_table[FORMAT_f8E4M3FN], *e5m2 = &format_table[FORMAT_f8E5M2];
  add_row(candidates, row, e4m3, e4m3);
  add_row(candidates, row, e5m2, e5m2);
}

/* One that was made by changing another, if it has a meaning. */
static void add_sound(candidates_t *candidates, const dot_algorithm_t *algorithm) {
  const dot_algorithm_attribute_t attribute = dot_algorithm_attribute(algorithm, true);
  dot_algorithm_t read;
  if (dot_algorithm_find(&attribute, &read) && dot_algorithm_equal(&read, algorithm)) {
    add_candidate(candidates, algorithm);
  }
}

/* What somebody may do instead of an algorithm that has no name: each of its members otherwise. */
static void add_neighbours(candidates_t *candidates, const dot_algorithm_t *algorithm) {
  static const char *const accumulations[] = {"bf16", "f16", "f32", "f64"};
  for (size_t i = 0; i < G_N_ELEMENTS(accumulations); i++) {
    dot_algorithm_t other = *algorithm;
    other.accumulation = element_named(accumulations[i]);
    add_sound(candidates, &other);
  }
  dot_algorithm_t swapped = *algorithm, like_lhs = *algorithm, like_rhs = *algorithm;
  swapped.lhs = like_rhs.lhs = algorithm->rhs;
  swapped.rhs = like_lhs.rhs = algorithm->lhs;
  add_sound(candidates, &swapped);
  add_sound(candidates, &like_lhs);
  add_sound(candidates, &like_rhs);
  for (int step = -1; step <= 1; step += 2) {
    dot_algorithm_t other = *algorithm;
    other.primitive_count += step;
    add_sound(candidates, &other);
  }
  dot_algorithm_t whole = *algorithm, other_imprecise = *algorithm;
  whole.component_counts[0] = whole.component_counts[1] = whole.primitive_count = 1;
  other_imprecise.is_imprecise = !algorithm->is_imprecise;
  add_sound(candidates, &whole);
  add_sound(candidates, &other_imprecise);
}

/* All that have a name, in their order, and the program's own with its neighbours. */
static candidates_t find_candidates(const program_t *program) {
  candidates_t candidates = {0};
  for (size_t i = 0; i < dot_algorithm_count; i++) {
    const dot_algorithm_row_t *row = &dot_algorithm_table[i];
    if (row->precision == NULL) {
      add_open_row(&candidates, program, row);
    } else {
      add_row(&candidates, row, row->precision, row->precision);
    }
  }
  dot_algorithm_t own;
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  bool is_nameless = attributes->has_algorithm &&
                     dot_algorithm_find(&attributes->algorithm, &own) &&
                     dot_algorithm_row(&own) == NULL;
  if (!is_nameless) return candidates;
  add_candidate(&candidates, &own);
  add_neighbours(&candidates, &own);
  return candidates;
}

bool dot_general_names_algorithm(const program_t *program) {
  dot_algorithm_t algorithm;
  const dot_general_attributes_t *attributes = dot_general_attributes(program);
  return attributes->has_algorithm && dot_algorithm_find(&attributes->algorithm, &algorithm);
}

bool dot_general_takes_precision(const program_t *program) {
  return dot_general_is_plain(program) && precision_concerns(program);
}

bool dot_general_knows_algorithm(str_t name) {
  dot_algorithm_t algorithm;
  return dot_algorithm_find_name(name, &algorithm);
}

void dot_general_loosen_algorithms(contract_t *inout_contract) {
  PERMITTED(inout_contract, operand_rounding) = OPERAND_ROUNDING_RZ;
  PERMITTED(inout_contract, low_nan) = LOW_NAN_EITHER;
}

/* Of quantized and hybrid programs that name one. */
static status_t find_quantized(const oracle_call_t *call, GString *out_names) {
  const program_t *program = &call->instance->program;
  const candidates_t candidates = find_candidates(program);
  const dot_general_layout_t layout = dot_general_layout_make(program, call->arena);
  const size_t asks = asks_of(call->contract, &layout);
  for (size_t i = 0; i < candidates.count; i++) {
    const dot_algorithm_t *algorithm = &candidates.algorithms[i];
    bool explains;
    arena_mark_t mark = arena_mark(call->arena);
    status_t status = dot_quantized_explains(call, algorithm, asks, &explains);
    arena_rewind(call->arena, mark);
    if (status == STATUS_UNSUPPORTED) continue;
    STATUS_TRY(status);
    if (explains) add_name(algorithm, out_names);
  }
  return STATUS_OK;
}

status_t dot_general_consistent(const oracle_call_t *call, GString *out_names) {
  const program_t *program = &call->instance->program;
  bool is_plain = !dot_general_attributes(program)->has_algorithm;
  if (dot_general_is_hybrid(program) || dot_general_is_quantized(program)) {
    if (!is_plain) return find_quantized(call, out_names);
    return status_fail(call->error, STATUS_UNSUPPORTED, "no dot algorithms on quantized types");
  }
  for (uint32_t i = 0; i < 2 && is_plain; i++) {
    if (program->operands[i].element->kind == ELEMENT_FLOAT) continue;
    return status_fail(call->error, STATUS_UNSUPPORTED, "dot algorithms are for floats");
  }
  const evidence_t evidence = {.instance = call->instance,
                               .contract = call->contract,
                               .result = &call->results[0],
                               .layout = dot_general_layout_make(program, call->arena),
                               .count = type_component_count(&program->results[0])};
  const candidates_t candidates = find_candidates(program);
  for (size_t i = 0; i < candidates.count; i++) {
    const dot_algorithm_t *algorithm = &candidates.algorithms[i];
    STATUS_TRY(try_algorithm(&evidence, algorithm, call->arena, out_names, call->error));
  }
  return STATUS_OK;
}
