/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts results from a profile: evaluates the tree bottom-up with each node's own format,
 * rounding, alignment and flushing, for one sum or for a whole case. */
#include "harness/identify/profile/profile.h"

#include <math.h>

#include "harness/num/binary64.h"
#include "oracles/exact/arithmetic.h"
#include "oracles/exact/sum/rounded.h"
#include "oracles/ops/dot_general/dot_general.h"
#include "oracles/ops/reduce/reduce.h"

uint32_t profile_root(const profile_t *profile) {
  size_t count = profile->term_count;
  if (profile->node_count > 0) return (uint32_t)(count + profile->node_count);
  return count == 1 ? 0 : (uint32_t)count;
}

/* One prediction under way. */
typedef struct prediction {
  const profile_t *profile;
  const double *left;
  const double *right;
  double init;
  double *nodes;   /* Values of the nodes. */
  double *factors; /* Three times the room for the addends of one node. */
  double *others;
  double *exponents;
} prediction_t;

static bool is_subnormal(const format_t *format, double value) {
  return value != 0 && fabs(value) < ldexp(1, format->exponent_min);
}

static double flush(const format_t *format, double value) {
  return is_subnormal(format, value) ? copysign(0, value) : value;
}

static double flush_if(bool flushes, const format_t *format, double value) {
  return flushes ? flush(format, value) : value;
}

static const format_t *initial_format(const profile_t *profile) {
  return profile->right == NULL ? profile->left : profile->result;
}

/* The format of a child that is no product. */
static const format_t *child_format(const profile_t *profile, uint32_t id) {
  if (profile_is_term(profile, id)) return profile->left;
  if (profile_is_leaf(profile, id)) return initial_format(profile);
  return profile_node(profile, id)->format;
}

/* A factor as it is multiplied. */
static double read_factor(const profile_t *profile, const format_t *format, rounding_t rounding,
                          double value) {
  double narrow = value;
  if (rounding == ROUNDING_NEAREST_EVEN) {
    narrow = format_round_double(format, value);
  } else {
    const format_t *carrier = &format_table[FORMAT_f64];
    narrow =
        format_to_double(format, format_convert(carrier, format, binary64_bits(value), rounding));
  }
  return flush_if(profile->flushes_inputs, format, narrow);
}

/* The value of a child as an addend: *out_factor is 1 unless it is an unrounded product. */
static double read_child(const prediction_t *p, const profile_node_t *node, uint32_t id,
                         double *out_factor) {
  const profile_t *profile = p->profile;
  *out_factor = 1;
  if (!profile_is_term(profile, id) || p->right == NULL) {
    if (!profile_is_leaf(profile, id)) return p->nodes[id - profile->term_count - 1];
    double value = profile_is_term(profile, id) ? p->left[id] : p->init;
    return flush_if(profile->flushes_inputs, child_format(profile, id), value);
  }
  double left = read_factor(profile, profile->left, profile->left_rounding, p->left[id]);
  double right = read_factor(profile, profile->right, profile->right_rounding, p->right[id]);
  if (node != NULL && node->fused) {
    *out_factor = right;
    return left;
  }
  const arithmetic_t arithmetic = arithmetic_make(profile->product);
  double product = arithmetic_multiply(&arithmetic, left, right);
  return flush_if(profile->flushes_sums, profile->product, product);
}

/* Whether binary64 carriers of the children may be added by arithmetic_add(). */
static bool is_plain_addition(const profile_t *profile, const profile_node_t *node) {
  if (node->child_count != 2 || node->aligned_bits != 0) return false;
  if (node->format == &format_table[FORMAT_f64]) return true;
  for (uint32_t i = 0; i < 2; i++) {
    uint32_t id = node->children[i];
    const format_t *format = profile_is_term(profile, id) && profile->right != NULL
                                 ? profile->product
                                 : child_format(profile, id);
    if (format != node->format && !arithmetic_format_holds(node->format, format)) return false;
  }
  return true;
}

/* The exponent of a factor, or of its bits. */
static double factor_exponent(const profile_node_t *node, const format_t *format, double value) {
  if (value == 0 || !isfinite(value)) return 0; /* Not asked for. */
  return node->by_field ? fmax(ilogb(value), format->exponent_min) : ilogb(value);
}

/* What a child is aligned by. */
static double child_exponent(const profile_t *profile, const profile_node_t *node, uint32_t id,
                             double factor, double other) {
  if (!profile_is_term(profile, id) || profile->right == NULL || !node->fused) {
    return factor_exponent(&(profile_node_t){0}, profile->result, factor);
  }
  return factor_exponent(node, profile->left, factor) +
         factor_exponent(node, profile->right, other);
}

static double round_addends(const prediction_t *p, const profile_node_t *node) {
  const rounded_sum_t sum = {.count = node->child_count,
                             .left = p->factors,
                             .right = p->others,
                             .aligned_bits = node->aligned_bits,
                             .format = node->format,
                             .rounding = node->rounding,
                             .overflows = node->overflows,
                             .exponents = node->aligned_bits > 0 ? p->exponents : NULL,
                             .cuts_sum = node->cuts_sum};
  return rounded_sum(&sum);
}

static double node_value(const prediction_t *p, const profile_node_t *node) {
  int products = 0;
  for (uint32_t i = 0; i < node->child_count; i++) {
    p->factors[i] = read_child(p, node, node->children[i], &p->others[i]);
    if (node->aligned_bits > 0) {
      p->exponents[i] =
          child_exponent(p->profile, node, node->children[i], p->factors[i], p->others[i]);
    }
    products += p->others[i] != 1;
  }
  bool truncates = node->rounding == ROUNDING_TOWARD_ZERO;
  arithmetic_t arithmetic = arithmetic_make(node->format);
  arithmetic.truncate_additions = truncates;
  if (is_plain_addition(p->profile, node)) {
    if (products == 0) return arithmetic_add(&arithmetic, p->factors[0], p->factors[1]);
    int product = p->others[0] != 1 ? 0 : 1;
    if (products == 1 && !truncates) {
      return arithmetic_fused(&arithmetic, p->factors[product], p->others[product],
                              p->factors[1 - product]);
    }
  }
  if (node->child_count == 1 && !truncates && node->aligned_bits == 0) {
    bool is_zero = p->factors[0] == 0 || p->others[0] == 0;
    bool loses_sign = is_zero && node->fused && p->profile->zero_is_first;
    return loses_sign ? p->factors[0] * p->others[0] + 0.0
                      : arithmetic_multiply(&arithmetic, p->factors[0], p->others[0]);
  }
  return round_addends(p, node);
}

static uint32_t widest_node(const profile_t *profile) {
  uint32_t widest = 0;
  for (size_t i = 0; i < profile->node_count; i++) {
    widest = MAX(widest, profile->nodes[i].child_count);
  }
  return widest;
}

size_t profile_scratch_count(const profile_t *profile) {
  return profile->node_count + 3 * (size_t)widest_node(profile);
}

/* Whether the value of the root is never -0. */
static bool loses_negative_zero(const profile_t *profile) {
  if (!profile->starts_at_zero || !profile->zero_is_first) return profile->starts_at_zero;
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    if (node->child_count == 1 && node->fused) return false; /* It has been lost there. */
  }
  return true;
}

uint64_t profile_predict(const profile_t *profile, const double *left, const double *right,
                         double init, double *scratch) {
  prediction_t p = {.profile = profile,
                    .left = left,
                    .right = right,
                    .init = init,
                    .nodes = scratch,
                    .factors = scratch + profile->node_count};
  p.others = p.factors + widest_node(profile);
  p.exponents = p.others + widest_node(profile);
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    bool flushes = profile->flushes_sums && i + 1 < profile->node_count;
    p.nodes[i] = flush_if(flushes, node->format, node_value(&p, node));
  }
  double value = 0;
  double factor = 1;
  bool is_empty = profile->term_count == 0 && right != NULL;
  if (!is_empty) value = read_child(&p, NULL, profile_root(profile), &factor);
  if (isnan(value)) value = (double)NAN;
  if (loses_negative_zero(profile) && value == 0) value = 0;
  value = format_round_double(profile->result, value);
  value = flush_if(profile->flushes_outputs, profile->result, value);
  return format_from_double(profile->result, value);
}

bool profile_same_bits(const format_t *format, uint64_t a, uint64_t b) {
  return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

/* The carriers of all components of a tensor. */
static double *carriers(const tensor_t *tensor, arena_t *arena) {
  const element_t *element = tensor->type.element;
  size_t count = type_element_count(&tensor->type);
  double *values = ARENA_NEW_ARRAY(arena, double, count);
  for (size_t i = 0; i < count; i++) {
    values[i] = format_to_double(element->format, element_load(element, tensor->data, i));
  }
  return values;
}

static void predict_dots(const profile_t *profile, const case_t *instance, arena_t *arena,
                         tensor_t *out_result) {
  const dot_general_layout_t layout = dot_general_layout_make(&instance->program, arena);
  const double *lhs = carriers(&instance->operands[DOT_GENERAL_LHS], arena);
  const double *rhs = carriers(&instance->operands[DOT_GENERAL_RHS], arena);
  double *left = ARENA_NEW_ARRAY(arena, double, layout.term_count);
  double *right = ARENA_NEW_ARRAY(arena, double, layout.term_count);
  double *scratch = ARENA_NEW_ARRAY(arena, double, profile_scratch_count(profile));
  size_t rows = layout.row_count;
  size_t columns = layout.column_count;
  for (size_t output = 0; output < layout.batch_count * rows * columns; output++) {
    size_t batch = output / (rows * columns);
    const double *row =
        lhs + layout.lhs_batch_offset[batch] + layout.lhs_row_offset[output / columns % rows];
    const double *column =
        rhs + layout.rhs_batch_offset[batch] + layout.rhs_column_offset[output % columns];
    for (size_t term = 0; term < layout.term_count; term++) {
      left[term] = row[layout.lhs_term_offset[term]];
      right[term] = column[layout.rhs_term_offset[term]];
    }
    element_store(out_result->type.element, out_result->data, output,
                  profile_predict(profile, left, right, 0, scratch));
  }
}

static void predict_sums(const profile_t *profile, const case_t *instance, arena_t *arena,
                         tensor_t *out_result) {
  const reduce_slices_t slices = reduce_slices_make(&instance->program, arena);
  const double *input = carriers(&instance->operands[0], arena);
  double init = carriers(&instance->operands[1], arena)[0];
  double *terms = ARENA_NEW_ARRAY(arena, double, slices.term_count);
  double *scratch = ARENA_NEW_ARRAY(arena, double, profile_scratch_count(profile));
  for (size_t output = 0; output < slices.output_count; output++) {
    for (size_t term = 0; term < slices.term_count; term++) {
      terms[term] = input[slices.output_base[output] + slices.term_offset[term]];
    }
    element_store(out_result->type.element, out_result->data, output,
                  profile_predict(profile, terms, NULL, init, scratch));
  }
}

status_t profile_predict_case(const profile_t *profile, const case_t *instance, arena_t *arena,
                              tensor_t *out_result, failure_t *error) {
  GString *line = g_string_new(NULL);
  program_print(&instance->program, line);
  bool same = g_str_equal(line->str, profile->program_line);
  g_string_free(line, TRUE);
  if (!same) {
    return status_fail(error, STATUS_UNSUPPORTED, "the profile was found with another program: %s",
                       profile->program_line);
  }
  *out_result = tensor_make(arena, &instance->program.results[0]);
  if (profile->right != NULL) {
    predict_dots(profile, instance, arena, out_result);
  } else {
    predict_sums(profile, instance, arena, out_result);
  }
  return STATUS_OK;
}
