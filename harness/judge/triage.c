#include "harness/judge/triage.h"

#include <glib.h>
#include <string.h>

#include "harness/model/op.h"

enum { CHANGES_MAX = 3 };

/* Sets one permission of a contract. */
typedef struct change {
  const char *permission;
  uint8_t value;
} change_t;

typedef struct relaxation {
  divergence_class_t class_;
  const char *observed; /* What is seen then, where the oracle does not say; or NULL. */
  size_t change_count;
  change_t changes[CHANGES_MAX];
} relaxation_t;

#define PERMIT(name, value) {#name, (value)}

/* Instead of a permission: all formulas of the op, or the largest errors of elementary functions.
 */
#define FORMULAS_OF_OP ""
#define ELEMENTARY_FUNCTIONS "*"
#define PERMIT_FORMULAS {FORMULAS_OF_OP, 0}
#define PERMIT_INACCURATE_FUNCTIONS {ELEMENTARY_FUNCTIONS, 0}

/* The order is the order of blame: the narrowest explanation first.  Wider nodes and
 * flushing come after another order, since in-order contracts that permit them are judged by the
 * any-order bound. */
static const relaxation_t relaxations[] = {
    {CLASS_zero_sign, NULL, 1, {PERMIT(zero_sign, ZERO_SIGN_ANY)}},
    {CLASS_padding, NULL, 1, {PERMIT(convolution_padding, 1)}},
    {CLASS_replicas, NULL, 1, {PERMIT(replicas, REPLICAS_ANY)}},
    {CLASS_nan, "low_nan=keep", 1, {PERMIT(low_nan, LOW_NAN_EITHER)}},
    {CLASS_precision,
     "operand_rounding=tf32",
     1,
     {PERMIT(operand_rounding, OPERAND_ROUNDING_TF32)}},
    {CLASS_precision, "operand_rounding=rna", 1, {PERMIT(operand_rounding, OPERAND_ROUNDING_RNA)}},
    {CLASS_truncation, "operand_rounding=rz", 1, {PERMIT(operand_rounding, OPERAND_ROUNDING_RZ)}},
    {CLASS_precision, NULL, 1, {PERMIT(fma, FMA_YES)}},
    {CLASS_order, NULL, 1, {PERMIT(order, ORDER_ANY)}},
    {CLASS_flush, NULL, 1, {PERMIT(ftz, FTZ_BOTH)}},
    {CLASS_init, NULL, 1, {PERMIT(init_count, INIT_COUNT_ANY)}},
    {CLASS_init, NULL, 1, {PERMIT(window_padding, WINDOW_PADDING_EITHER)}},
    {CLASS_overflow, NULL, 1, {PERMIT(integer_overflow, INTEGER_OVERFLOW_EITHER)}},
    {CLASS_precision, NULL, 2, {PERMIT(accum_wider, ACCUM_WIDER_YES), PERMIT(fma, FMA_YES)}},
    {CLASS_order,
     NULL,
     3,
     {PERMIT(order, ORDER_ANY), PERMIT(accum_wider, ACCUM_WIDER_YES), PERMIT(fma, FMA_YES)}},
    {CLASS_truncation, NULL, 1, {PERMIT(accum_rounding, ACCUM_ROUNDING_RZ)}},
};

/* The same for ops whose meaning is a formula. */
static const relaxation_t composite_relaxations[] = {
    {CLASS_zero_sign, NULL, 1, {PERMIT(zero_sign, ZERO_SIGN_ANY)}},
    {CLASS_precision, NULL, 1, {PERMIT(fma, FMA_YES)}},
    {CLASS_flush, NULL, 1, {PERMIT(ftz, FTZ_BOTH)}},
    {CLASS_precision, NULL, 2, {PERMIT(accum_wider, ACCUM_WIDER_YES), PERMIT(fma, FMA_YES)}},
    {CLASS_formula, NULL, 1, {PERMIT(epsilon, EPSILON_EITHER)}},
    {CLASS_precision, "exp_by_exp2=yes", 1, {PERMIT(exp_by_exp2, EXP_BY_EXP2_YES)}},
    {CLASS_formula, NULL, 1, {PERMIT_FORMULAS}},
    {CLASS_precision, "function_range=ulps", 1, {PERMIT(function_range, FUNCTION_RANGE_ULPS)}},
    {CLASS_precision, NULL, 1, {PERMIT(intermediate, INTERMEDIATE_EITHER)}},
    {CLASS_formula, NULL, 2, {PERMIT_FORMULAS, PERMIT(intermediate, INTERMEDIATE_EITHER)}},
    {CLASS_precision, "inaccurate elementary functions", 1, {PERMIT_INACCURATE_FUNCTIONS}},
    {CLASS_truncation, NULL, 1, {PERMIT(accum_rounding, ACCUM_ROUNDING_RZ)}},
};

static void apply_change(contract_t *contract, const change_t *change, const op_t *op) {
  if (strcmp(change->permission, FORMULAS_OF_OP) == 0) {
    if (op->formulas == NULL) return;
    uint8_t last = (uint8_t)(contract_value_count(op->formulas) - 1);
    contract_set_value(contract, op->formulas, last);
    return;
  }
  if (strcmp(change->permission, ELEMENTARY_FUNCTIONS) == 0) {
    contract_loosen_elementary(contract);
    return;
  }
  uint8_t present = contract_value(contract, change->permission);
  if (contract_value_permits(change->permission, present, change->value)) return;
  contract_set_value(contract, change->permission, change->value);
}

static contract_t relax(contract_t contract, const relaxation_t *relaxation, const op_t *op) {
  for (size_t i = 0; i < relaxation->change_count; i++) {
    apply_change(&contract, &relaxation->changes[i], op);
  }
  return contract;
}

/* What kind of value is wrong, where no permission explains it. */
static divergence_class_t class_by_value(const tensor_t *result, const wrong_element_t *wrong) {
  const element_t *element = result->type.element;
  if (wrong->answer.is_index) return CLASS_index;
  if (wrong->answer.is_quantum) return CLASS_quantum;
  if (element->format == NULL) return CLASS_value;
  uint64_t bits = element_load(element, result->data, wrong->component);
  if (wrong->answer.nan_expected != format_is_nan(element->format, bits)) return CLASS_nan;
  if (wrong->answer.infinity_expected != format_is_infinity(element->format, bits)) {
    return CLASS_inf;
  }
  return CLASS_value;
}

/* Truncation moves a result by some units; it does not make an infinity or a NaN. */
static bool can_explain(const relaxation_t *relaxation, const tensor_t *result, size_t component) {
  const element_t *element = result->type.element;
  if (relaxation->class_ != CLASS_truncation || element->format == NULL) return true;
  uint64_t bits = element_load(element, result->data, component);
  return !format_is_nan(element->format, bits) && !format_is_infinity(element->format, bits);
}

/* Only convolutions have padding to leave out, and only an all_reduce gives replicas one result. */
static bool concerns(const relaxation_t *relaxation, const op_t *op) {
  const char *policy = relaxation->class_ == CLASS_padding    ? "convolution_padding"
                       : relaxation->class_ == CLASS_replicas ? "replicas"
                                                              : NULL;
  if (policy == NULL) return true;
  return op != NULL && op->policies != NULL && g_strv_contains(op->policies, policy);
}

/* Asks under one changed contract; an oracle that has no answer then explains nothing. */
static status_t ask_relaxed(const judge_t *judge, const oracle_call_t *call,
                            const contract_t *relaxed, const wrong_element_t *wrong,
                            answer_t *out_answer) {
  *out_answer = (answer_t){.conforms = false};
  if (memcmp(relaxed, &judge->contract, sizeof *relaxed) == 0) return STATUS_OK;
  oracle_call_t relaxed_call = *call;
  relaxed_call.contract = relaxed;
  status_t status =
      judge->ask(judge->ask_context, &relaxed_call, wrong->result, wrong->component, out_answer);
  if (status != STATUS_UNSUPPORTED && status != STATUS_UNDECIDED) return status;
  *out_answer = (answer_t){.conforms = false};
  return STATUS_OK;
}

/* Which of the op's policies, at its loosest, would permit the element: "arg_nan=any", or "". */
static status_t find_policy(const judge_t *judge, const oracle_call_t *call,
                            const wrong_element_t *wrong, char *out_observed,
                            size_t observed_bytes) {
  const op_t *op = call->instance->program.op;
  out_observed[0] = '\0';
  if (op == NULL || op->policies == NULL) return STATUS_OK;
  for (const char *const *policy = op->policies; *policy != NULL; policy++) {
    contract_t relaxed = judge->contract;
    uint8_t loosest = (uint8_t)(contract_value_count(*policy) - 1);
    contract_set_value(&relaxed, *policy, loosest);
    answer_t answer;
    STATUS_TRY(ask_relaxed(judge, call, &relaxed, wrong, &answer));
    if (!answer.conforms) continue; /* A policy may permit all: it is noted beside the class. */
    g_snprintf(out_observed, observed_bytes, "%s=%s", *policy, contract_spelling(*policy, loosest));
    break;
  }
  return STATUS_OK;
}

status_t triage(const judge_t *judge, const oracle_call_t *call, const wrong_element_t *wrong,
                divergence_class_t *out_class, char out_observed[sizeof((answer_t *)0)->observed]) {
  const op_t *op = call->instance->program.op;
  bool is_composite = op != NULL && op->is_composite;
  const relaxation_t *row = is_composite ? composite_relaxations : relaxations;
  size_t count = is_composite ? G_N_ELEMENTS(composite_relaxations) : G_N_ELEMENTS(relaxations);
  for (size_t i = 0; i < count; i++, row++) {
    contract_t relaxed = relax(judge->contract, row, op);
    if (!concerns(row, op)) continue;
    if (!can_explain(row, &call->results[wrong->result], wrong->component)) continue;
    answer_t answer;
    STATUS_TRY(ask_relaxed(judge, call, &relaxed, wrong, &answer));
    if (!answer.conforms || answer.is_weak) continue; /* What permits all values explains none. */
    *out_class = row->class_;
    const char *observed = row->observed;
    g_strlcpy(out_observed, observed != NULL ? observed : answer.observed, sizeof answer.observed);
    return STATUS_OK;
  }
  *out_class = class_by_value(&call->results[wrong->result], wrong);
  return find_policy(judge, call, wrong, out_observed, sizeof((answer_t *)0)->observed);
}
