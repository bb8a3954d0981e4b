/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle entry of byteir.resize: checks the target operand, then forwards to the oracle of the
 * nearest or the linear mode. */
#include "oracles/oracle.h"
#include "oracles/audit.h"
#include "oracles/ops/byteir_resize/linear.h"
#include "oracles/ops/byteir_resize/nearest.h"
#include "oracles/ops/byteir_resize/simulate.h"

static bool is_nearest(const case_t *instance) {
  return byteir_resize_attributes(&instance->program)->mode == RESIZE_NEAREST;
}

static status_t accept(const oracle_call_t *call, accept_t out_accepts[CASE_RESULTS_MAX]) {
  STATUS_TRY(resize_check_target(call->instance, call->error));
  if (!is_nearest(call->instance)) {
    return resize_linear_accept(call, &out_accepts[0]);
  }
  resize_nearest_accept(call, &out_accepts[0]);
  return STATUS_OK;
}

static status_t decide(const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  const case_t *instance = call->instance;
  (void)result;
  STATUS_TRY(resize_check_target(instance, call->error));
  if (is_nearest(instance)) {
    resize_nearest_decide(instance, call->contract, component, &call->results[0], out_answer);
  } else {
    resize_linear_decide(call, component, &call->results[0], out_answer);
  }
  return STATUS_OK;
}

static status_t audit(const oracle_call_t *call, const accept_t *accepts, uint32_t result,
                      size_t component) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(call->instance->program.op), call, accepts, result, component,
                         &reference);
}

static status_t find_formula(const oracle_call_t *call, const accept_t *accepts,
                             uint8_t *out_formula, bool *out_found) {
  if (is_nearest(call->instance)) {
    return status_fail(call->error, STATUS_UNSUPPORTED, "nearest computes nothing");
  }
  return resize_linear_find_formula(call, accepts, out_formula, out_found);
}

static const oracle_t resize_oracle = {
    .op_name = "byteir.resize",
    .accept = accept,
    .decide = decide,
    .audit = audit,
    .simulate = resize_simulate,
    .find_formula = find_formula,
};

extern const oracle_t *const byteir_resize_oracles[];
const oracle_t *const byteir_resize_oracles[] = {&resize_oracle, NULL};
