/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle rows of the ops that pick.  Nothing is rounded: one value is right, or one of a few.
 */
#include "oracles/audit.h"
#include "oracles/ops/byteir_positions/arg.h"
#include "oracles/ops/byteir_positions/one_hot.h"
#include "oracles/ops/byteir_positions/simulate.h"
#include "oracles/ops/byteir_positions/top_k.h"

/* The fast side ranks by keys, the exact one by values. */
static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

static const oracle_t arg_max_oracle = {
    .op_name = "byteir.arg_max",
    .has_joint_results = true, /* A value and its place. */
    .accept = byteir_arg_accept,
    .decide = byteir_arg_decide,
    .audit = audit,
    .simulate = byteir_arg_simulate,
};

static const oracle_t arg_min_oracle = {
    .op_name = "byteir.arg_min",
    .has_joint_results = true, /* A value and its place. */
    .accept = byteir_arg_accept,
    .decide = byteir_arg_decide,
    .audit = audit,
    .simulate = byteir_arg_simulate,
};

static const oracle_t top_k_oracle = {
    .op_name = "byteir.top_k",
    .has_joint_results = true, /* A value and its place. */
    .accept = byteir_top_k_accept,
    .decide = byteir_top_k_decide,
    .audit = audit,
    .simulate = byteir_top_k_simulate,
};

static const oracle_t one_hot_oracle = {
    .op_name = "byteir.one_hot",
    .accept = byteir_one_hot_accept,
    .decide = byteir_one_hot_decide,
    .audit = audit,
    .simulate = byteir_one_hot_simulate,
};

extern const oracle_t *const byteir_positions_oracles[];
const oracle_t *const byteir_positions_oracles[] = {&arg_max_oracle, &arg_min_oracle, &top_k_oracle,
                                                    &one_hot_oracle, NULL};
