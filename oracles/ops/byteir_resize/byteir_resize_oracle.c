#include "oracles/audit.h"
#include "oracles/ops/byteir_resize/byteir_resize_linear.h"
#include "oracles/ops/byteir_resize/byteir_resize_nearest.h"
#include "oracles/ops/byteir_resize/byteir_resize_simulate.h"
#include "oracles/oracle.h"

static bool is_nearest(const case_t *instance) {
  return byteir_resize_attributes(&instance->program)->mode == RESIZE_NEAREST;
}

static status_t accept(const case_t *instance, const contract_t *contract, arena_t *arena,
                       accept_t out_accepts[CASE_RESULTS_MAX], failure_t *error) {
  STATUS_TRY(resize_check_target(instance, error));
  if (!is_nearest(instance)) {
    return resize_linear_accept(instance, contract, arena, &out_accepts[0], error);
  }
  resize_nearest_accept(instance, contract, arena, &out_accepts[0]);
  return STATUS_OK;
}

static status_t ask(const case_t *instance, const contract_t *contract, uint32_t result,
                    size_t component, const tensor_t *results, arena_t *arena, answer_t *out_answer,
                    failure_t *error) {
  (void)result;
  STATUS_TRY(resize_check_target(instance, error));
  if (is_nearest(instance)) {
    resize_nearest_ask(instance, contract, component, &results[0], out_answer);
  } else {
    resize_linear_ask(instance, contract, component, &results[0], arena, out_answer);
  }
  return STATUS_OK;
}

static status_t audit(const case_t *instance, const contract_t *contract, const accept_t *accepts,
                      uint32_t result, size_t component, arena_t *arena, failure_t *error) {
  const audit_reference_t reference = {.is_known = false};
  return audit_component(oracle_find(instance->program.op), instance, contract, accepts, result,
                         component, &reference, arena, error);
}

static status_t find_formula(const case_t *instance, const contract_t *contract,
                             const accept_t *accepts, const tensor_t *results, arena_t *arena,
                             uint8_t *out_formula, bool *out_found, failure_t *error) {
  (void)accepts; /* Each reading is asked of by itself. */
  if (is_nearest(instance)) {
    return status_fail(error, STATUS_UNSUPPORTED, "nearest computes nothing");
  }
  return resize_linear_find_formula(instance, contract, results, arena, out_formula, out_found,
                                    error);
}

static const oracle_t resize_oracle = {
    .op_name = "byteir.resize",
    .accept = accept,
    .ask = ask,
    .audit = audit,
    .simulate = resize_simulate,
    .find_formula = find_formula,
};

extern const oracle_t *const byteir_resize_oracles[];
const oracle_t *const byteir_resize_oracles[] = {&resize_oracle, NULL};
