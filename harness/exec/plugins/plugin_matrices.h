/* SPDX-License-Identifier: Apache-2.0 */
/* A dot_general as a batch of matrix products, for libraries that multiply matrices. */
#ifndef ASSAY_EXEC_PLUGINS_PLUGIN_MATRICES_H
#define ASSAY_EXEC_PLUGINS_PLUGIN_MATRICES_H

#include "harness/exec/plugins/plugin_quantized.h"

/* How the elements of one operand become `batch` dense matrices. */
typedef struct plugin_operand {
  /* Whether each matrix has the terms in its rows: terms x columns instead of rows x terms. */
  bool is_terms_first;
  /* Whether the operand already is like that; else plugin_gather() makes it so, rows x terms. */
  bool is_in_place;
  size_t element_count;
  uint32_t rank; /* Sizes and strides, in elements, in the order batch, rows, terms. */
  int64_t sizes[PLUGIN_RANK_MAX];
  int64_t strides[PLUGIN_RANK_MAX];
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
  int64_t index[PLUGIN_RANK_MAX] = {0};
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
static inline bool plugin_dims_are_ascending(const plugin_dims_t *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->dims[i] != (int64_t)i) return false;
  }
  return true;
}

static inline plugin_operand_t plugin_operand_make(const assay_type_t *type,
                                                   const plugin_dims_t *batch,
                                                   const plugin_dims_t *rows,
                                                   const plugin_dims_t *terms) {
  plugin_dims_t rows_first = *batch;
  plugin_dims_append(&rows_first, rows);
  plugin_dims_append(&rows_first, terms);
  plugin_dims_t terms_first = *batch;
  plugin_dims_append(&terms_first, terms);
  plugin_dims_append(&terms_first, rows);
  plugin_operand_t operand = {.element_count = plugin_count(type), .rank = type->rank};
  bool is_rows_first = plugin_dims_are_ascending(&rows_first);
  operand.is_terms_first = !is_rows_first && plugin_dims_are_ascending(&terms_first);
  operand.is_in_place = is_rows_first || operand.is_terms_first;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t stride = 1;
    for (int64_t d = rows_first.dims[i] + 1; d < (int64_t)type->rank; d++) {
      stride = plugin_multiply_size(stride, type->dims[d]);
    }
    operand.sizes[i] = type->dims[rows_first.dims[i]];
    operand.strides[i] = stride;
  }
  return operand;
}

/* "[0]x[0]". */
static inline bool plugin_read_pair(const char *value, plugin_dims_t *out_lhs,
                                    plugin_dims_t *out_rhs) {
  if (value == NULL || !plugin_read_dims(&value, out_lhs)) return false;
  return *value++ == 'x' && plugin_read_dims(&value, out_rhs) && *value == '\0';
}

/* The constraint of the StableHLO specification that a precision_config breaks, or NULL.  Its words
 * are hints without a defined meaning; full precision obeys each of them. */
static inline const char *plugin_check_precision(const assay_program_t *program) {
  const char *value = plugin_attribute(program, "precision");
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
  return plugin_attribute(program, "algorithm") != NULL && strncmp(lhs, "f8", 2) == 0 &&
         strncmp(rhs, "f8", 2) == 0;
}

/* Whether an algorithm that does `done`, in the spelling of the attribute
 * ("[f32,f32,f32,1,1,1,false]"), does what the program asks for: exactly that, or what it likes.
 * NULL does no algorithm that can be asked for. */
static inline bool plugin_algorithm_suits(const assay_program_t *program, const char *done) {
  const char *asked = plugin_attribute(program, "algorithm");
  return asked == NULL || (done != NULL && strcmp(asked, done) == 0);
}

/* The dimensions of both operands, by their part in the product. */
typedef struct plugin_roles {
  plugin_dims_t lhs_batch;
  plugin_dims_t rhs_batch;
  plugin_dims_t lhs_terms;
  plugin_dims_t rhs_terms;
  plugin_dims_t lhs_rows;
  plugin_dims_t rhs_columns;
} plugin_roles_t;

static inline bool plugin_sizes_agree(const assay_type_t *lhs, const plugin_dims_t *lhs_dims,
                                      const assay_type_t *rhs, const plugin_dims_t *rhs_dims) {
  for (uint32_t i = 0; i < lhs_dims->count; i++) {
    if (lhs->dims[lhs_dims->dims[i]] != rhs->dims[rhs_dims->dims[i]]) return false;
  }
  return true;
}

/* Whether the sizes of `type` from *position on are those of the dimensions; moves *position on. */
static inline bool plugin_sizes_follow(const assay_type_t *type, uint32_t *position,
                                       const assay_type_t *source, const plugin_dims_t *dims) {
  for (uint32_t i = 0; i < dims->count; i++) {
    if (*position == type->rank) return false;
    if (type->dims[(*position)++] != source->dims[dims->dims[i]]) return false;
  }
  return true;
}

/* One operand's dimensions; false if those listed are out of range or not distinct. */
static inline bool plugin_find_rest(const assay_type_t *type, const plugin_dims_t *batch,
                                    const plugin_dims_t *terms, plugin_dims_t *out_rest) {
  if (batch->count + terms->count > type->rank) return false;
  plugin_dims_t listed = *batch;
  plugin_dims_append(&listed, terms);
  if (!plugin_dims_are_distinct(&listed, type->rank)) return false;
  *out_rest = plugin_dims_rest(&listed, type->rank);
  return true;
}

static inline bool plugin_has_quantized(const assay_program_t *program) {
  return plugin_is_quantized(&program->operands[0]) || plugin_is_quantized(&program->operands[1]) ||
         plugin_is_quantized(&program->results[0]);
}

/* The first constraint that a dot_general breaks (StableHLO specification, dot_general), or NULL.
 * C14 to C20, of quantized types, are left to who takes such. */
static inline const char *plugin_check_roles(const assay_program_t *program,
                                             plugin_roles_t *out_roles) {
  if (program->operand_count != 2 || program->result_count != 1) return "two operands, one result";
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  const assay_type_t *result = &program->results[0];
  plugin_roles_t *roles = out_roles;
  if (!plugin_read_pair(plugin_attribute(program, "batch"), &roles->lhs_batch, &roles->rhs_batch) ||
      !plugin_read_pair(plugin_attribute(program, "contract"), &roles->lhs_terms,
                        &roles->rhs_terms)) {
    return "attributes batch and contract are there";
  }
  if (roles->lhs_batch.count != roles->rhs_batch.count) return "C1: as many batch dimensions";
  if (roles->lhs_terms.count != roles->rhs_terms.count) return "C2: as many contracting dimensions";
  if (!plugin_find_rest(lhs, &roles->lhs_batch, &roles->lhs_terms, &roles->lhs_rows)) {
    return "C3, C5, C6: dimensions of lhs are in range and distinct";
  }
  if (!plugin_find_rest(rhs, &roles->rhs_batch, &roles->rhs_terms, &roles->rhs_columns)) {
    return "C4, C7, C8: dimensions of rhs are in range and distinct";
  }
  if (!plugin_sizes_agree(lhs, &roles->lhs_batch, rhs, &roles->rhs_batch)) {
    return "C9: batch dimensions have equal sizes";
  }
  if (!plugin_sizes_agree(lhs, &roles->lhs_terms, rhs, &roles->rhs_terms)) {
    return "C10: contracting dimensions have equal sizes";
  }
  const char *precision = plugin_check_precision(program);
  if (precision != NULL) return precision;
  uint32_t position = 0;
  bool is_shaped = plugin_sizes_follow(result, &position, lhs, &roles->lhs_batch) &&
                   plugin_sizes_follow(result, &position, lhs, &roles->lhs_rows) &&
                   plugin_sizes_follow(result, &position, rhs, &roles->rhs_columns) &&
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
  const char *precision = plugin_attribute(program, "precision");
  bool is_raised = precision != NULL && strstr(precision, "HIGH") != NULL;
  if (is_raised && plugin_attribute(program, "algorithm") != NULL) {
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
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no %s here", program->op);
  }
  static const char *const keys[] = {"batch", "contract", "precision", "algorithm"};
  const char *unknown = plugin_find_unknown_key(program, keys, sizeof keys / sizeof keys[0]);
  if (unknown != NULL) {
    return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "no attribute %s here", unknown);
  }
  plugin_roles_t roles;
  const char *broken = plugin_check_roles(program, &roles);
  if (broken != NULL) return plugin_say(reason, ASSAY_EXECUTOR_INVALID, "broken %s", broken);
  const assay_type_t *lhs = &program->operands[0];
  const assay_type_t *rhs = &program->operands[1];
  *out_matrices = (plugin_matrices_t){
      .batch = plugin_dims_extent(&roles.lhs_batch, lhs),
      .rows = plugin_dims_extent(&roles.lhs_rows, lhs),
      .columns = plugin_dims_extent(&roles.rhs_columns, rhs),
      .terms = plugin_dims_extent(&roles.lhs_terms, lhs),
      .lhs = plugin_operand_make(lhs, &roles.lhs_batch, &roles.lhs_rows, &roles.lhs_terms),
      .rhs = plugin_operand_make(rhs, &roles.rhs_batch, &roles.rhs_columns, &roles.rhs_terms)};
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
  if (meaning != NULL) return plugin_say(reason, ASSAY_EXECUTOR_UNSUPPORTED, "%s", meaning);
  return ASSAY_EXECUTOR_OK;
}

#endif
