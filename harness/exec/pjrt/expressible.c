/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses programs with types that PJRT has no buffers of, calls of custom ops, attributes that
 * StableHLO has not, and collectives among the steps of a module. */
#include "harness/exec/pjrt/expressible.h"

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/pjrt/element.h"
#include "harness/exec/pjrt/spread.h"

__attribute__((format(printf, 2, 3))) static int32_t refuse(assay_reason_t *reason,
                                                            const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason->text, reason->text_bytes, format, arguments);
  va_end(arguments);
  return ASSAY_EXECUTOR_UNSUPPORTED;
}

static int32_t check_types(const assay_type_t *types, uint32_t count, assay_reason_t *reason) {
  for (uint32_t i = 0; i < count; i++) {
    if (pjrt_element_find(types[i].element) != NULL) continue;
    return refuse(reason, "PJRT has no buffers of %s", types[i].element);
  }
  return ASSAY_EXECUTOR_OK;
}

/* StableHLO's parser passes over a precision of a reduce, which RFC 000 considers. */
static int32_t check_op(const assay_program_t *program, assay_reason_t *reason) {
  if (strcmp(program->op, "stablehlo.reduce") != 0) return ASSAY_EXECUTOR_OK;
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, "precision") != 0) continue;
    return refuse(reason, "%s has no precision in StableHLO", program->op);
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t check_steps(const assay_module_t *module, assay_reason_t *reason) {
  for (uint32_t i = 0; i < module->step_count; i++) {
    const assay_program_t *step = module->steps[i].program;
    pjrt_spread_t spread;
    int32_t code = check_op(step, reason);
    if (code == ASSAY_EXECUTOR_OK) code = pjrt_spread_find(step, &spread, reason);
    if (code != ASSAY_EXECUTOR_OK) return code;
    if (spread.is_collective) return refuse(reason, "no processes in a module of several steps");
  }
  return ASSAY_EXECUTOR_OK;
}

int32_t pjrt_is_expressible(const assay_program_t *program, assay_reason_t *reason) {
  if (program->mlir == NULL) return refuse(reason, "%s has no StableHLO module", program->op);
  if (strstr(program->mlir, "custom_call") != NULL) {
    return refuse(reason, "%s is a custom_call, of which a PJRT plugin knows nothing", program->op);
  }
  int32_t code = check_types(program->operands, program->operand_count, reason);
  if (code == ASSAY_EXECUTOR_OK) {
    code = check_types(program->results, program->result_count, reason);
  }
  if (code == ASSAY_EXECUTOR_OK) code = check_op(program, reason);
  bool has_steps = code == ASSAY_EXECUTOR_OK && program->module != NULL;
  return has_steps ? check_steps(program->module, reason) : code;
}
