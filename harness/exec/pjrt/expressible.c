/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses programs with types that PJRT has no buffers of, calls of custom ops, attributes that
 * StableHLO has not, and collectives. */
#include "harness/exec/pjrt/expressible.h"

#include <glib.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/exec/pjrt/element.h"

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

static bool is_collective(const char *op) {
  return strcmp(op, "stablehlo.all_reduce") == 0 || strcmp(op, "stablehlo.reduce_scatter") == 0;
}

/* StableHLO's parser passes over a precision of a reduce, which RFC 000 considers. */
static int32_t check_op(const assay_program_t *program, assay_reason_t *reason) {
  if (is_collective(program->op)) return refuse(reason, "%s runs on one device here", program->op);
  if (strcmp(program->op, "stablehlo.reduce") != 0) return ASSAY_EXECUTOR_OK;
  for (uint32_t i = 0; i < program->attribute_count; i++) {
    if (strcmp(program->attributes[i].key, "precision") != 0) continue;
    return refuse(reason, "%s has no precision in StableHLO", program->op);
  }
  return ASSAY_EXECUTOR_OK;
}

static int32_t check_steps(const assay_program_t *program, assay_reason_t *reason) {
  int32_t code = check_op(program, reason);
  for (uint32_t i = 0;
       code == ASSAY_EXECUTOR_OK && program->module != NULL && i < program->module->step_count;
       i++) {
    code = check_op(program->module->steps[i].program, reason);
  }
  return code;
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
  return code == ASSAY_EXECUTOR_OK ? check_steps(program, reason) : code;
}
