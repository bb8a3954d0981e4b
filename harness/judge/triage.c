/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies a wrong element by deciding it again under relaxed contracts, in a fixed order from
 * the narrowest explanation; if none explains it, by the kind of value. */
#include "harness/judge/triage.h"

#include <glib.h>
#include <string.h>

#include "harness/model/op.h"

enum { CHANGES_MAX = 3 };

/* Gives a permission of the contract that value; NULL ends a list of them. */
typedef struct change {
  const char *permission;
  const char *value;
} change_t;

/* The ops that a row is about. */
typedef enum blamed_ops {
  ANY_OP,
  PLAIN_OPS,
  COMPOSITE_OPS,
  POLICY_OPS,
  QUANTIZING_OPS
} blamed_ops_t;

typedef struct blame {
  unsigned place; /* In the order of blame. */
  blamed_ops_t ops;
  divergence_class_t class_;
  const char *observed; /* What is seen then, where the oracle does not say; or NULL. */
  change_t changes[CHANGES_MAX + 1];
} blame_t;

/* Instead of a permission: all formulas of the op, or the largest errors of elementary functions.
 */
#define FORMULAS_OF_OP ""
#define ELEMENTARY_FUNCTIONS "*"
#define WITH_FORMULAS {FORMULAS_OF_OP, ""}
#define WITH_INACCURATE_FUNCTIONS {ELEMENTARY_FUNCTIONS, ""}
#define WITH(permission, value) {#permission, value}
#define BLAME(place, ops, class_, observed, ...) \
  {place, ops, CLASS_##class_, observed, {__VA_ARGS__}},

/* The rows of all permissions (harness/model/permissions.def), and those of none. */
static const blame_t blames[] = {
    /* clang-format off */
    BLAME(730, COMPOSITE_OPS, formula, NULL, WITH_FORMULAS)
    BLAME(770, COMPOSITE_OPS, precision, "inaccurate elementary functions",
          WITH_INACCURATE_FUNCTIONS)
/* clang-format on */
#define MODELS_HOLD(...)
#define BACKEND_IS_TIGHTER
#define WIDE(value)
#define PERMISSION(name, spellings, spec, backend, summary, ...) __VA_ARGS__
#include "harness/model/permissions.def"

#include "generated/all_permissions.def"
#undef PERMISSION
#undef WIDE
#undef BACKEND_IS_TIGHTER
#undef MODELS_HOLD
};

/* Of the rows that come after one in the order of blame, the first; after NULL, the first of all;
 * or NULL.  Those of one place come in the order of the table. */
static const blame_t *next_blame(const blame_t *blame) {
  const blame_t *next = NULL;
  for (const blame_t *row = blames; row < blames + G_N_ELEMENTS(blames); row++) {
    bool is_later =
        blame == NULL || row->place > blame->place || (row->place == blame->place && row > blame);
    if (is_later && (next == NULL || row->place < next->place)) next = row;
  }
  return next;
}

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
  uint8_t value = contract_value_spelled(change->permission, change->value);
  if (contract_value_permits(change->permission, present, value)) return;
  contract_set_value(contract, change->permission, value);
}

/* Whether it has elementary functions err.  They are applied once then: where a formula applies
 * them at each term anew, errors that large add up to whatever is asked for, and explain nothing
 * (theory.md, T216). */
static bool is_of_functions(const blame_t *blame) {
  return strcmp(blame->changes[0].permission, ELEMENTARY_FUNCTIONS) == 0;
}

static contract_t relax(contract_t contract, const blame_t *blame, const op_t *op) {
  for (const change_t *change = blame->changes; change->permission != NULL; change++) {
    apply_change(&contract, change, op);
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

/* Truncation moves a result by some units; it does not make an infinity or a NaN.  Functions that
 * err make no NaN either: their largest errors permit that 1 + erf(x) is 0, and so 0 times an
 * infinity, where what was wrong is another step. */
static bool can_explain(const blame_t *blame, const tensor_t *result, size_t component) {
  const element_t *element = result->type.element;
  if (element->format == NULL) return true;
  const bool is_truncation = blame->class_ == CLASS_truncation;
  if (!is_truncation && !is_of_functions(blame)) return true;
  uint64_t bits = element_load(element, result->data, component);
  if (format_is_nan(element->format, bits)) return false;
  return !is_truncation || !format_is_infinity(element->format, bits);
}

static bool has_policy(const op_t *op, const char *policy) {
  return op != NULL && op->policies != NULL && g_strv_contains(op->policies, policy);
}

static bool has_quantized_result(const program_t *program) {
  bool is_quantized = false;
  for (uint32_t i = 0; i < program->result_count; i++) {
    is_quantized |= program->results[i].quantization != NULL;
  }
  return is_quantized;
}

static bool concerns(const blame_t *blame, const program_t *program) {
  const op_t *op = program->op;
  bool is_composite = op != NULL && op->is_composite;
  switch (blame->ops) {
    case ANY_OP:
      return true;
    case PLAIN_OPS:
      return !is_composite;
    case COMPOSITE_OPS:
      return is_composite;
    case POLICY_OPS:
      return has_policy(op, blame->changes[0].permission);
    case QUANTIZING_OPS:
      return has_policy(op, blame->changes[0].permission) || has_quantized_result(program);
  }
  g_assert_not_reached();
}

/* Asks under one changed contract; an oracle that has no answer then explains nothing. */
static status_t decide_relaxed(const judge_t *judge, const oracle_call_t *call,
                               const contract_t *relaxed, const wrong_element_t *wrong,
                               answer_t *out_answer) {
  *out_answer = (answer_t){.conforms = false};
  if (memcmp(relaxed, &judge->contract, sizeof *relaxed) == 0) return STATUS_OK;
  oracle_call_t relaxed_call = *call;
  g_autoptr(GString) why = g_string_new(NULL);
  relaxed_call.contract = relaxed;
  relaxed_call.why = why;
  status_t status = judge->decide(judge->decide_context, &relaxed_call, wrong->result,
                                  wrong->component, out_answer);
  if (status != STATUS_UNSUPPORTED && status != STATUS_UNDECIDED) return status;
  *out_answer = (answer_t){.conforms = false};
  return STATUS_OK;
}

/* Whether rows ask about a policy.  They were asked then: where it permits everything it explains
 * nothing, while one that no row asks about may be there to do so, as arg_nan=any is. */
static bool has_rows(const char *policy) {
  for (const blame_t *row = blames; row < blames + G_N_ELEMENTS(blames); row++) {
    bool is_of_policy = row->ops == POLICY_OPS || row->ops == QUANTIZING_OPS;
    if (is_of_policy && strcmp(row->changes[0].permission, policy) == 0) return true;
  }
  return false;
}

/* Which of the op's policies, at its loosest, would permit the element: "arg_nan=any", or "". */
static status_t find_policy(const judge_t *judge, const oracle_call_t *call,
                            const wrong_element_t *wrong, triage_t *inout_triage) {
  const op_t *op = call->instance->program.op;
  if (op == NULL || op->policies == NULL) return STATUS_OK;
  for (const char *const *policy = op->policies; *policy != NULL; policy++) {
    contract_t relaxed = judge->contract;
    uint8_t loosest = (uint8_t)(contract_value_count(*policy) - 1);
    contract_set_value(&relaxed, *policy, loosest);
    answer_t answer;
    STATUS_TRY(decide_relaxed(judge, call, &relaxed, wrong, &answer));
    if (!answer.conforms || (answer.is_vacuous && has_rows(*policy))) continue;
    g_snprintf(inout_triage->observed, sizeof inout_triage->observed, "%s=%s", *policy,
               contract_spelling(*policy, loosest));
    inout_triage->blame = (verdict_blame_t){.is_there = true, .contract = relaxed};
    break;
  }
  return STATUS_OK;
}

/* The first row behind that one (NULL: the first of all) that explains the element, or NULL;
 * `inout_perhaps` is the first that a bound alone does not exclude. */
static status_t find_row(const judge_t *judge, const oracle_call_t *call,
                         const wrong_element_t *wrong, const blame_t **inout_perhaps,
                         const blame_t **inout_row, triage_t *out_triage) {
  const op_t *op = call->instance->program.op;
  const blame_t *row = next_blame(*inout_row);
  *inout_row = NULL;
  for (; row != NULL; row = next_blame(row)) {
    if (!concerns(row, &call->instance->program)) continue;
    if (!can_explain(row, &call->results[wrong->result], wrong->component)) continue;
    contract_t relaxed = relax(judge->contract, row, op);
    answer_t answer;
    STATUS_TRY(decide_relaxed(judge, call, &relaxed, wrong, &answer));
    if (!answer.conforms || answer.is_vacuous)
      continue;               /* What permits all values explains none. */
    if (answer.is_unproven) { /* Nor does what only a bound does not exclude. */
      if (*inout_perhaps == NULL) *inout_perhaps = row;
      continue;
    }
    if (is_of_functions(row) && answer.is_running) continue;
    *out_triage =
        (triage_t){.class_ = row->class_, .blame = {.is_there = true, .contract = relaxed}};
    const char *observed = row->observed != NULL ? row->observed : answer.observed;
    g_strlcpy(out_triage->observed, observed, sizeof out_triage->observed);
    *inout_row = row;
    break;
  }
  return STATUS_OK;
}

/* Of an element that no row explains. */
static status_t tell_unexplained(const judge_t *judge, const oracle_call_t *call,
                                 const wrong_element_t *wrong, const blame_t *perhaps,
                                 triage_t *out_triage) {
  *out_triage = (triage_t){.class_ = class_by_value(&call->results[wrong->result], wrong)};
  STATUS_TRY(find_policy(judge, call, wrong, out_triage));
  if (perhaps != NULL && out_triage->observed[0] == '\0') {
    g_snprintf(out_triage->observed, sizeof out_triage->observed, "perhaps %s",
               class_spelling(perhaps->class_));
  }
  return STATUS_OK;
}

status_t triage(const judge_t *judge, const oracle_call_t *call, const wrong_element_t *wrong,
                triage_t *out_triage) {
  const blame_t *perhaps = NULL, *row = NULL;
  STATUS_TRY(find_row(judge, call, wrong, &perhaps, &row, out_triage));
  if (row == NULL) return tell_unexplained(judge, call, wrong, perhaps, out_triage);
  if (!is_of_functions(row)) return STATUS_OK;
  triage_t other;
  STATUS_TRY(find_row(judge, call, wrong, &perhaps, &row, &other));
  if (row == NULL) STATUS_TRY(tell_unexplained(judge, call, wrong, perhaps, &other));
  out_triage->blame.is_of_functions = true;
  out_triage->blame.otherwise = other.class_;
  g_strlcpy(out_triage->blame.otherwise_observed, other.observed,
            sizeof out_triage->blame.otherwise_observed);
  return STATUS_OK;
}
