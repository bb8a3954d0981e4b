/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/verbs/isolation/difference.h"

/* Which may not be an int64_t. */
static double signed_distance(int64_t a, int64_t b) {
  return a > b ? (double)((uint64_t)a - (uint64_t)b) : (double)((uint64_t)b - (uint64_t)a);
}

/* Steps between two numbers of a format, or the difference of two integers. */
static double distance(const element_t *element, uint64_t one, uint64_t other) {
  if (element->format != NULL) {
    return signed_distance(format_ordinal(element->format, one),
                           format_ordinal(element->format, other));
  }
  if (element->kind == ELEMENT_SIGNED) {
    return signed_distance(element_signed_value(element, one),
                           element_signed_value(element, other));
  }
  return one > other ? (double)(one - other) : (double)(other - one);
}

static bool is_nan(const element_t *element, uint64_t bits) {
  return element->format != NULL && format_is_nan(element->format, bits);
}

static void add_component(const element_t *element, uint64_t one, uint64_t other,
                          difference_t *sum) {
  sum->component_count++;
  bool is_one_nan = is_nan(element, one), is_other_nan = is_nan(element, other);
  if (one == other || (is_one_nan && is_other_nan)) return;
  sum->differing_count++;
  if (is_one_nan || is_other_nan) {
    sum->unlike_count++;
    return;
  }
  double far = distance(element, one, other);
  if (far <= sum->distance_max) return;
  sum->distance_max = far;
  sum->is_of_integers = element->format == NULL;
}

difference_t difference_find(const program_t *program, const tensor_t *results,
                             const tensor_t *others) {
  difference_t sum = {0};
  for (uint32_t i = 0; i < program->result_count; i++) {
    const element_t *element = program->results[i].element;
    size_t count = type_component_count(&program->results[i]);
    for (size_t k = 0; k < count; k++) {
      add_component(element, element_load(element, results[i].data, k),
                    element_load(element, others[i].data, k), &sum);
    }
  }
  return sum;
}

void difference_print(const difference_t *difference, GString *out_text) {
  if (difference->differing_count == 0) {
    g_string_append(out_text, "equal to the bit");
    return;
  }
  g_string_append_printf(out_text, "%zu of %zu elements", difference->differing_count,
                         difference->component_count);
  if (difference->distance_max > 0) {
    g_string_append_printf(out_text, ", by at most %.4g%s", difference->distance_max,
                           difference->is_of_integers ? "" : " ulp");
  }
  if (difference->unlike_count > 0) {
    g_string_append_printf(out_text, ", %zu NaN in one alone", difference->unlike_count);
  }
}
