/* SPDX-License-Identifier: Apache-2.0 */
/* nll_loss_forward: the sum of negated numbers that targets choose, divided by their count, or each
 * of them; nll_loss_backward: one quotient for each target, and zeros.  See byteir_nll_loss.h.
 * What targets choose becomes an operand of the formulas. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "generated/byteir_nll_loss_faults.h"
#include "oracles/composite/composite.h"
#include "oracles/ops/byteir_nll_loss/byteir_nll_loss.h"

/* ---- Targets --------------------------------------------------------------------------------- */

static int64_t target_of(const case_t *instance, size_t sample) {
  const tensor_t *target = &instance->operands[byteir_nll_input(&instance->program) + 1];
  return (int64_t)element_load(target->type.element, target->data, sample);
}

static bool is_ignored(const case_t *instance, size_t sample) {
  int64_t ignored = byteir_nll_attributes(&instance->program)->ignore_index;
  return target_of(instance, sample) == ignored;
}

static status_t check(const oracle_call_t *call) {
  const program_t *program = &call->instance->program;
  size_t classes = byteir_nll_classes(program);
  for (size_t i = 0; i < byteir_nll_samples(program); i++) {
    int64_t target = target_of(call->instance, i);
    if (is_ignored(call->instance, i) || (target >= 0 && (uint64_t)target < classes)) continue;
    return status_fail(call->error, STATUS_UNSUPPORTED,
                       "no oracle: there is no class %" PRId64 ", the target of sample %zu", target,
                       i);
  }
  return STATUS_OK;
}

static double load(const tensor_t *tensor, size_t element) {
  const element_t *type = tensor->type.element;
  return format_to_double(type->format, element_load(type, tensor->data, element));
}

/* ---- Forward --------------------------------------------------------------------------------- */

/* The operand of the formula: losses of the samples that count, or of all if there is a list. */
enum { LOSSES = NLL_FORWARD_OPERANDS };

static double load_loss(const case_t *instance, const composite_layout_t *unused, uint32_t operand,
                        size_t sample) {
  (void)unused, (void)operand;
  if (is_ignored(instance, sample)) return 0;
  size_t class = (size_t)target_of(instance, sample);
  size_t classes = byteir_nll_classes(&instance->program);
  return -load(&instance->operands[NLL_FORWARD_INPUT], sample * classes + class);
}

/* One problem, whose results are the losses or their sum. */
static composite_layout_t forward_layout(const case_t *instance, arena_t *arena) {
  const program_t *program = &instance->program;
  bool is_list = byteir_nll_is_list(program);
  size_t samples = byteir_nll_samples(program), count = 0;
  size_t *offsets = ARENA_NEW_ARRAY(arena, size_t, samples + 1);
  size_t *terms = ARENA_NEW_ARRAY(arena, size_t, samples + 1);
  size_t *base = arena_alloc_zeroed(arena, sizeof(size_t));
  for (size_t i = 0; i < samples; i++) {
    terms[i] = i;
    bool counts = program->results[NLL_OUTPUT].rank == 1 || !is_ignored(instance, i);
    if (counts) offsets[count++] = i;
  }
  terms[0] = 0;
  composite_layout_t layout = {.group_count = 1,
                               .term_count = is_list ? samples : 1,
                               .group_base = base,
                               .term_offset = terms};
  layout.gathered[LOSSES] = (composite_places_t){count, base, offsets};
  return layout;
}

/* The number of losses: exact, or ones that are added in the working format, where that holds
 * fewer integers. */
static row_t find_count(formula_t *formula, size_t count) {
  row_t exact = formula_number(formula, (double)count);
  if ((double)count <= ldexp(1, formula->format->precision)) return exact;
  size_t *places = arena_alloc_zeroed(formula->arena, count * sizeof(size_t));
  row_t ones = formula_pick(formula, formula_number(formula, 1), places, count);
  return formula_either(formula, exact, formula_sum(formula, ones));
}

static row_t find_sum(formula_t *formula, row_t losses) {
  return losses.count == 0 ? formula_number(formula, 0) : formula_sum(formula, losses);
}

static void evaluate_forward(formula_t *formula, const row_t operands[], row_t results[]) {
  const program_t *program = formula->program;
  row_t losses = operands[LOSSES];
  if (formula_has_fault(formula, FAULT_nll_sign_kept)) losses = formula_negate(formula, losses);
  if (byteir_nll_is_list(program)) {
    results[NLL_OUTPUT] = losses;
    results[NLL_TOTAL_WEIGHT] = formula_number(formula, 0);
    return;
  }
  bool is_of_all = formula_has_fault(formula, FAULT_nll_mean_of_all);
  bool is_mean = byteir_nll_attributes(program)->reduction == NLL_MEAN &&
                 !formula_has_fault(formula, FAULT_nll_mean_undivided);
  row_t sum = find_sum(formula, losses);
  row_t count = find_count(formula, is_of_all ? byteir_nll_samples(program) : losses.count);
  row_t inverse = formula_divide(formula, formula_number(formula, 1), count);
  row_t mean = formula_either(formula, formula_divide(formula, sum, count),
                              formula_multiply(formula, sum, inverse));
  results[NLL_OUTPUT] = is_mean ? mean : sum;
  results[NLL_TOTAL_WEIGHT] = count;
}

/* A sum may begin from +0, or be negated at last: of zeros it is of any sign. */
static void permit_zero(const case_t *instance, const contract_t *contract, uint32_t result,
                        size_t element, value_range_t *inout_range) {
  (void)contract, (void)element;
  if (result != NLL_OUTPUT || byteir_nll_is_list(&instance->program)) return;
  bool has_zero = inout_range->positive_zero || inout_range->negative_zero;
  inout_range->positive_zero = inout_range->negative_zero = has_zero;
}

static const composite_formula_t forward_formulas[] = {{.evaluate = evaluate_forward}};

static const composite_formula_t *find_forward_formulas(const program_t *program) {
  (void)program;
  return forward_formulas;
}

static const composite_t forward = {
    .layout_of_case = forward_layout,
    .operand_roles = {COMPOSITE_GATHERED, COMPOSITE_GATHERED, COMPOSITE_GATHERED},
    .result_roles = {COMPOSITE_ELEMENT, COMPOSITE_GROUP},
    .formulas = find_forward_formulas,
    .load_integer = load_loss,
    .derived_count = 1,
    .permit = permit_zero,
};

/* ---- Backward -------------------------------------------------------------------------------- */

/* Operands of the formula, an entry for each element of the result. */
enum { NUMERATORS = NLL_BACKWARD_OPERANDS, DENOMINATORS };

static bool is_chosen(const case_t *instance, size_t element) {
  size_t classes = byteir_nll_classes(&instance->program), sample = element / classes;
  return !is_ignored(instance, sample) &&
         target_of(instance, sample) == (int64_t)(element % classes);
}

/* -grad_output over total_weight where the target is, and 0 over 1 elsewhere. */
static double load_fraction(const case_t *instance, const composite_layout_t *unused,
                            uint32_t operand, size_t element) {
  (void)unused;
  const program_t *program = &instance->program;
  bool is_divided = byteir_nll_attributes(program)->reduction == NLL_MEAN;
  if (!is_chosen(instance, element)) return operand == NUMERATORS ? 0 : 1;
  if (operand == DENOMINATORS) {
    return is_divided ? load(&instance->operands[NLL_BACKWARD_TOTAL_WEIGHT], 0) : 1;
  }
  size_t sample = element / byteir_nll_classes(program);
  bool is_list = byteir_nll_is_list(program);
  return -load(&instance->operands[NLL_BACKWARD_GRADIENT], is_list ? sample : 0);
}

static composite_layout_t backward_layout(const program_t *program, arena_t *arena) {
  return composite_layout_elements(&program->results[0], arena);
}

static void evaluate_backward(formula_t *formula, const row_t operands[], row_t results[]) {
  row_t numerators = operands[NUMERATORS], denominators = operands[DENOMINATORS];
  if (formula_has_fault(formula, FAULT_nll_sign_kept)) {
    numerators = formula_negate(formula, numerators);
  }
  bool is_mean = byteir_nll_attributes(formula->program)->reduction == NLL_MEAN &&
                 !formula_has_fault(formula, FAULT_nll_mean_undivided);
  if (!is_mean) {
    results[0] = numerators;
    return;
  }
  if (formula_has_fault(formula, FAULT_nll_mean_of_all)) {
    denominators = formula_number(formula, (double)byteir_nll_samples(formula->program));
  }
  row_t inverse = formula_divide(formula, formula_number(formula, 1), denominators);
  results[0] = formula_either(formula, formula_divide(formula, numerators, denominators),
                              formula_multiply(formula, numerators, inverse));
}

static const composite_formula_t backward_formulas[] = {{.evaluate = evaluate_backward}};

static const composite_formula_t *find_backward_formulas(const program_t *program) {
  (void)program;
  return backward_formulas;
}

static const composite_t backward = {
    .layout = backward_layout,
    .operand_roles = {COMPOSITE_GATHERED, COMPOSITE_GATHERED, COMPOSITE_GATHERED,
                      COMPOSITE_GATHERED, COMPOSITE_ELEMENT, COMPOSITE_ELEMENT},
    .result_roles = {COMPOSITE_ELEMENT},
    .formulas = find_backward_formulas,
    .load_integer = load_fraction,
    .derived_count = 2,
};

/* ---- Faults of addressing -------------------------------------------------------------------- */

/* The target of a sample as a faulty implementation reads it. */
static int64_t misread(const case_t *instance, fault_t fault, size_t sample) {
  int64_t target = target_of(instance, sample);
  int64_t classes = (int64_t)byteir_nll_classes(&instance->program);
  bool is_taken = fault == FAULT_nll_ignored_counted && is_ignored(instance, sample);
  if (is_taken) return target == classes - 1 ? 0 : classes - 1;
  bool is_behind = fault == FAULT_nll_class_behind && !is_ignored(instance, sample);
  return is_behind ? (target + 1) % classes : target;
}

/* A copy of the case with targets, or the input, as such an implementation reads them. */
static case_t misread_case(const case_t *instance, fault_t fault, arena_t *arena) {
  case_t copy = *instance;
  const program_t *program = &instance->program;
  uint32_t input = byteir_nll_input(program);
  size_t samples = byteir_nll_samples(program), classes = byteir_nll_classes(program);
  tensor_t targets = tensor_make(arena, &program->operands[input + 1]);
  for (size_t i = 0; i < samples && classes > 0; i++) {
    element_store(targets.type.element, targets.data, i, (uint64_t)misread(instance, fault, i));
  }
  if (classes > 0) copy.operands[input + 1] = targets;
  if (fault != FAULT_nll_samples_as_classes) return copy;
  tensor_t turned = tensor_make(arena, &program->operands[input]);
  for (size_t i = 0; i < samples * classes; i++) {
    size_t from = i % classes * samples + i / classes;
    uint64_t bits = element_load(turned.type.element, instance->operands[input].data, from);
    element_store(turned.type.element, turned.data, i, bits);
  }
  copy.operands[input] = turned;
  return copy;
}

static status_t simulate(const oracle_call_t *call, const implementation_model_t *schedule,
                         tensor_t *inout_results) {
  /* A trial run has zeros for operands, which may be no classes: it is let be. */
  if (check(&(oracle_call_t){.instance = call->instance}) != STATUS_OK) return STATUS_OK;
  const case_t misread_one = misread_case(call->instance, schedule->fault, call->arena);
  oracle_call_t of_copy = *call;
  of_copy.instance = &misread_one;
  return composite_simulate(&of_copy, schedule, inout_results);
}

/* ---- The rows -------------------------------------------------------------------------------- */

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  STATUS_TRY(check(call));
  return composite_accept(call, out_accepts);
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  STATUS_TRY(check(call));
  return composite_decide(call, result, component, out_answer);
}

static status_t ranges(const oracle_call_t *call, uint32_t result, component_span_t span,
                       accepted_ranges_t *out_ranges) {
  STATUS_TRY(check(call));
  return composite_ranges(call, result, span, out_ranges);
}

#define FUNCTIONS                                                                 \
  .accept = accept, .decide = decide, .ranges = ranges, .audit = composite_audit, \
  .siblings = composite_siblings, .simulate = simulate, .find_formula = composite_find_formula

static const oracle_t forward_oracle = {
    .op_name = "byteir.nll_loss_forward", .composite = &forward, FUNCTIONS};
static const oracle_t backward_oracle = {
    .op_name = "byteir.nll_loss_backward", .composite = &backward, FUNCTIONS};

extern const oracle_t *const byteir_nll_loss_oracles[];
const oracle_t *const byteir_nll_loss_oracles[] = {&forward_oracle, &backward_oracle, NULL};
