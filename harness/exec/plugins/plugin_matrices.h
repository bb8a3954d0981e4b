/* SPDX-License-Identifier: Apache-2.0 */
/* A dot_general as a batch of matrix products, for libraries that multiply matrices. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_MATRICES_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_MATRICES_H

#include "harness/exec/executor_products.h"
#include "harness/exec/executor_quantized.h"
#include "harness/exec/plugins/plugin.h"

/* How the elements of one operand become `batch` dense matrices. */
typedef struct plugin_operand {
  /* Whether each matrix has the terms in its rows: terms x columns instead of rows x terms. */
  bool is_terms_first;
  /* Whether the operand already is like that; else plugin_gather() makes it so, rows x terms. */
  bool is_in_place;
  size_t element_count;
  uint32_t rank; /* Sizes and strides, in elements, in the order batch, rows, terms. */
  int64_t sizes[ASSAY_RANK_MAX];
  int64_t strides[ASSAY_RANK_MAX];
} plugin_operand_t;

/* result[batch][row][column] = sum over terms of lhs[batch][row][term] * rhs[batch][column][term].
 */
typedef struct plugin_matrices {
  int64_t batch;
  int64_t rows;
  int64_t columns;
  int64_t terms;
  plugin_operand_t lhs;
  plugin_operand_t rhs;
} plugin_matrices_t;

/* Moves elements of `bytes` bytes from an operand into rows x terms order. */
static inline void plugin_gather(const plugin_operand_t *operand, size_t bytes, const void *source,
                                 void *target) {
  const char *from = source;
  char *to = target;
  int64_t index[ASSAY_RANK_MAX] = {0};
  int64_t offset = 0;
  for (size_t i = 0; i < operand->element_count; i++) {
    memcpy(to, from + (size_t)offset * bytes, bytes);
    to += bytes;
    for (uint32_t d = operand->rank; d-- > 0;) {
      offset += operand->strides[d];
      if (++index[d] < operand->sizes[d]) break;
      offset -= operand->strides[d] * operand->sizes[d];
      index[d] = 0;
    }
  }
}

/* Whether the dimensions stand in the order in which they are stored. */
static inline bool plugin_dims_are_ascending(const assay_dims_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] != (int64_t)i) return false;
  }
  return true;
}

static inline plugin_operand_t plugin_operand_make(const assay_type_t *type,
                                                   const assay_dims_t *batch,
                                                   const assay_dims_t *rows,
                                                   const assay_dims_t *terms) {
  assay_dims_t rows_first = *batch;
  assay_dims_append(&rows_first, rows);
  assay_dims_append(&rows_first, terms);
  assay_dims_t terms_first = *batch;
  assay_dims_append(&terms_first, terms);
  assay_dims_append(&terms_first, rows);
  plugin_operand_t operand = {.element_count = assay_type_count(type), .rank = type->rank};
  bool is_rows_first = plugin_dims_are_ascending(&rows_first);
  operand.is_terms_first = !is_rows_first && plugin_dims_are_ascending(&terms_first);
  operand.is_in_place = is_rows_first || operand.is_terms_first;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t stride = 1;
    for (int64_t d = rows_first.dims[i] + 1; d < (int64_t)type->rank; d++) {
      stride = assay_multiply_size(stride, type->dims[d]);
    }
    operand.sizes[i] = type->dims[rows_first.dims[i]];
    operand.strides[i] = stride;
  }
  return operand;
}

/* The constraint of the StableHLO specification that a precision_config breaks, or NULL.  Its words
 * are hints without a defined meaning; full precision obeys each of them. */
static inline const char *plugin_check_precision(const assay_program_t *program) {
  const char *value = assay_attribute_text(program, "precision");
  if (value == NULL) return NULL;
  const char *comma = strchr(value, ',');
  bool are_two = comma != NULL && strchr(comma + 1, ',') == NULL;
  return are_two ? NULL : "C11: precision_config has two entries";
}

/* Two kinds of 8-bit floats and an algorithm that names their types: C13 forbids it, the dialect's
 * verifier permits it. */
static inline bool plugin_mixes_f8(const assay_program_t *program) {
  const char *lhs = program->operands[0].element;
  const char *rhs = program->operands[1].element;
  return assay_attribute_text(program, "algorithm") != NULL && strncmp(lhs, "f8", 2) == 0 &&
         strncmp(rhs, "f8", 2) == 0;
}

/* Whether an algorithm that does `done`, in the spelling of the attribute
 * ("[f32,f32,f32,1,1,1,false]"), does what the program asks for: exactly that, or what it likes.
 * NULL does no algorithm that can be asked for. */
static inline bool plugin_algorithm_suits(const assay_program_t *program, const char *done) {
  const char *asked = assay_attribute_text(program, "algorithm");
  return asked == NULL || (done != NULL && strcmp(asked, done) == 0);
}

/* Whether the sizes of `type` from *position on are those of the dimensions; moves *position on. */
static inline bool plugin_sizes_follow(const assay_type_t *type, uint32_t *position,
                                       const assay_type_t *source, const assay_dims_t *dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    if (*position == type->rank) return false;
    if (type->dims[(*position)++] != source->dims[dims->dims[i]]) return false;
  }
  return true;
}

static inline bool plugin_has_quantized(const assay_program_t *program) {
  return assay_is_quantized(&program->operands[0]) || assay_is_quantized(&program->operands[1]) ||
         assay_is_quantized(&program->results[0]);
}

/* The first constraint that a dot_general breaks (StableHLO specification, dot_general), or NULL.
 * C14 to C20, of quantized types, are left to who takes such. */
static inline const char *plugin_check_dot(const assay_program_t *program,
                                           assay_dot_dims_t *out_dims) {
  const char *broken = assay_dot_read(program, out_dims);
  if (broken != NULL) return broken;
  const assay_dot_dims_t *dims = out_dims;
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  const char *precision = plugin_check_precision(program);
  if (precision != NULL) return precision;
  uint32_t position = 0;
  bool is_shaped = plugin_sizes_follow(result, &position, lhs, &dims->lhs_batch) &&
                   plugin_sizes_follow(result, &position, lhs, &dims->lhs_rest) &&
                   plugin_sizes_follow(result, &position, rhs, &dims->rhs_rest) &&
                   position == result->rank;
  if (!is_shaped) return "C12: the shape of the result";
  bool are_typed = strcmp(lhs->element, rhs->element) == 0 || plugin_mixes_f8(program) ||
                   plugin_has_quantized(program);
  return are_typed ? NULL : "C13: equal element types";
}

/* What of a valid dot_general no library of matrices means, or NULL. */
static inline const char *plugin_check_meaning(const assay_program_t *program) {
  if (plugin_has_quantized(program)) return "no quantized types";
  if (strcmp(program->operands[0].element, program->operands[1].element) != 0) {
    return "no products of operands of two types";
  }
  const char *precision = assay_attribute_text(program, "precision");
  bool is_raised = precision != NULL && strstr(precision, "HIGH") != NULL;
  if (is_raised && assay_attribute_text(program, "algorithm") != NULL) {
    return "no precision beside an algorithm but DEFAULT";
  }
  return NULL;
}

/* plugin_matrices_make() without plugin_check_meaning(), which is left to the caller, as are the
 * rules of quantized types. */
static inline int32_t plugin_matrices_make_any(const assay_program_t *program,
                                               plugin_matrices_t *out_matrices,
                                               assay_reason_t *reason) {
  if (strcmp(program->op, "stablehlo.dot_general") != 0) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no %s here", program->op);
  }
  static const char *const keys[] = {"batch", "contract", "precision", "algorithm"};
  const char *unknown = assay_find_unknown_key(program, keys, sizeof keys / sizeof keys[0]);
  if (unknown != NULL) {
    return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  assay_dot_dims_t dims;
  const char *broken = plugin_check_dot(program, &dims);
  if (broken != NULL) return assay_explain(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  *out_matrices = (plugin_matrices_t){
      .batch = assay_dims_extent(&dims.lhs_batch, lhs),
      .rows = assay_dims_extent(&dims.lhs_rest, lhs),
      .columns = assay_dims_extent(&dims.rhs_rest, rhs),
      .terms = assay_dims_extent(&dims.lhs_contract, lhs),
      .lhs = plugin_operand_make(lhs, &dims.lhs_batch, &dims.lhs_rest, &dims.lhs_contract),
      .rhs = plugin_operand_make(rhs, &dims.rhs_batch, &dims.rhs_rest, &dims.rhs_contract)};
  return ASSAY_EXECUTOR_OK;
}

/* ASSAY_EXECUTOR_OK and the matrices, or _INVALID with the broken constraint, or _UNSUPPORTED for
 * another op, an attribute that is not known here, quantized types, or operands of two types.  The
 * algorithm is left to the caller: see plugin_algorithm_suits(). */
static inline int32_t plugin_matrices_make(const assay_program_t *program,
                                           plugin_matrices_t *out_matrices,
                                           assay_reason_t *reason) {
  int32_t code = plugin_matrices_make_any(program, out_matrices, reason);
  if (code != ASSAY_EXECUTOR_OK) return code;
  const char *meaning = plugin_check_meaning(program);
  if (meaning != NULL) return assay_explain(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", meaning);
  return ASSAY_EXECUTOR_OK;
}

#endif
