/* SPDX-License-Identifier: Apache-2.0 */
/* Reads operands and fast accept sets once.  The four formats that most operands have are read by
 * their patterns, in a loop that vectorises; all others are decoded. */
#include "harness/record/case_figures.h"

#include <math.h>
#include <string.h>

#include "harness/power/terms.h"
#include "harness/store/severity/severity.h"

/* ---- Operands -------------------------------------------------------------------------------- */

/* Patterns without their sign: numbers ascend with them. */
typedef struct patterns {
  uint64_t magnitude_mask;
  uint64_t infinity;
  uint64_t least_normal;
} patterns_t;

/* What a loop over patterns gathers. */
typedef struct gathered {
  uint64_t nan;
  uint64_t infinite;
  uint64_t subnormal;
  uint64_t largest; /* Finite pattern. */
  uint64_t least;   /* Pattern that is not zero. */
} gathered_t;

#define DEFINE_GATHER(bits, word_t)                                                                \
  static gathered_t gather_##bits(const uint8_t *data, size_t count, const patterns_t *patterns) { \
    word_t mask = (word_t)patterns->magnitude_mask, infinity = (word_t)patterns->infinity;         \
    word_t least_normal = (word_t)patterns->least_normal, largest = 0, least = mask;               \
    word_t nan = 0, infinite = 0, subnormal = 0;                                                   \
    gathered_t all = {.least = mask};                                                              \
    enum { BLOCK = 128 }; /* Counts of a block fit the narrowest word. */                          \
    for (size_t first = 0; first < count; first += BLOCK) {                                        \
      size_t end = MIN(first + BLOCK, count);                                                      \
      nan = infinite = subnormal = 0;                                                              \
      for (size_t i = first; i < end; i++) {                                                       \
        word_t word;                                                                               \
        memcpy(&word, data + i * sizeof word, sizeof word);                                        \
        word = (word_t)(word & mask);                                                              \
        nan = (word_t)(nan + (word > infinity));                                                   \
        infinite = (word_t)(infinite + (word == infinity));                                        \
        subnormal = (word_t)(subnormal + ((word_t)(word - 1) < (word_t)(least_normal - 1)));       \
        word_t finite = word < infinity ? word : 0;                                                \
        word_t nonzero = word != 0 ? word : mask;                                                  \
        largest = finite > largest ? finite : largest;                                             \
        least = nonzero < least ? nonzero : least;                                                 \
      }                                                                                            \
      all.nan += nan;                                                                              \
      all.infinite += infinite;                                                                    \
      all.subnormal += subnormal;                                                                  \
    }                                                                                              \
    all.largest = largest;                                                                         \
    all.least = least;                                                                             \
    return all;                                                                                    \
  }
DEFINE_GATHER(16, uint16_t)
DEFINE_GATHER(32, uint32_t)
DEFINE_GATHER(64, uint64_t)

static bool is_read_by_patterns(const element_t *element) {
  return element->format != NULL && element->format->specials == FORMAT_IEEE &&
         element->bits >= 16 && element->bits == 8 * element->component_bytes &&
         element->bits != 24;
}

/* Adds the components of an operand in a format that has infinities. */
static void add_patterns(const element_t *element, const uint8_t *data, size_t count,
                         case_figures_t *figures) {
  const format_t *format = element->format;
  const patterns_t patterns = {.magnitude_mask = element_mask(element) >> 1,
                               .infinity = format->largest_bits + 1,
                               .least_normal = (uint64_t)1 << (format->precision - 1)};
  gathered_t gathered = element->bits == 16   ? gather_16(data, count, &patterns)
                        : element->bits == 32 ? gather_32(data, count, &patterns)
                                              : gather_64(data, count, &patterns);
  figures->nan_elements += gathered.nan;
  figures->infinite_elements += gathered.infinite;
  figures->subnormal_elements += gathered.subnormal;
  double extent = gathered.nan + gathered.infinite > 0
                      ? (double)INFINITY
                      : fmax(severity_extent(element, gathered.largest),
                             gathered.largest == 0 ? 0 : severity_extent(element, gathered.least));
  figures->data_extent = fmax(figures->data_extent, extent);
}

static void add_one(const element_t *element, uint64_t bits, case_figures_t *figures) {
  figures->data_extent = fmax(figures->data_extent, severity_extent(element, bits));
  if (element->format == NULL) return;
  number_t number = format_decode(element->format, bits);
  figures->nan_elements += number.kind == NUMBER_NAN;
  figures->infinite_elements += number.kind == NUMBER_INFINITY;
  if (number.kind != NUMBER_FINITE) return;
  int top = 63 - __builtin_clzll(number.significand);
  figures->subnormal_elements += number.exponent + top < element->format->exponent_min;
}

static void add_operand(const tensor_t *operand, case_figures_t *figures) {
  const element_t *element = operand->type.element;
  size_t count = type_component_count(&operand->type);
  figures->operand_elements += count;
  if (is_read_by_patterns(element)) {
    if (count > 0) add_patterns(element, operand->data, count, figures);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    add_one(element, element_load(element, operand->data, i), figures);
  }
}

case_figures_t case_figures_of_operands(const case_t *instance, bool is_valid) {
  case_figures_t figures = {.terms = is_valid ? program_terms(&instance->program) : 0,
                            .condition = (double)NAN,
                            .term_magnitude = (double)NAN,
                            .sum_magnitude = (double)NAN};
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    add_operand(&instance->operands[i], &figures);
  }
  return figures;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* Sums have a unit roundoff: what `magnitude` is of other ops is no sum of terms. */
static bool is_sum(const accept_t *accept) {
  return accept->reference != NULL && accept->magnitude != NULL && accept->unit_roundoff > 0;
}

static bool is_known(const accept_t *accept, size_t component) {
  return (accept->decide == NULL || accept->decide[component] == 0) &&
         isfinite(accept->reference[component]) && isfinite(accept->magnitude[component]) &&
         accept->magnitude[component] > 0;
}

/* fmax() ignores NaN, which is what is not known yet. */
static void add_component(const accept_t *accept, size_t component, case_figures_t *figures) {
  if (!is_known(accept, component)) return;
  double sum = fabs(accept->reference[component]), terms = accept->magnitude[component];
  figures->condition =
      fmax(figures->condition, fmax(terms / sum, 1)); /* Rounded, they may cross. */
  figures->term_magnitude = fmax(figures->term_magnitude, terms);
  figures->sum_magnitude = fmax(figures->sum_magnitude, sum);
}

static bool has_accepts(const expectation_t *expectation) {
  return expectation->oracle != NULL && expectation->broken == NULL &&
         expectation->oracle_status == STATUS_OK;
}

static void add_kind(const accept_t *accept, case_figures_t *figures) {
  figures->has_reference |= accept->reference != NULL;
  figures->has_sum |= is_sum(accept);
}

void case_figures_add_results(const expectation_t *expectation, case_figures_t *inout_figures) {
  if (!has_accepts(expectation)) return;
  for (uint32_t i = 0; i < expectation->instance->program.result_count; i++) {
    const accept_t *accept = &expectation->accepts[i];
    add_kind(accept, inout_figures);
    if (!is_sum(accept)) continue;
    for (size_t k = 0; k < accept->count; k++) add_component(accept, k, inout_figures);
  }
}

void case_figures_add_element(const expectation_t *expectation, uint32_t result, size_t component,
                              case_figures_t *inout_figures) {
  if (!has_accepts(expectation) || result >= expectation->instance->program.result_count) return;
  const accept_t *accept = &expectation->accepts[result];
  add_kind(accept, inout_figures);
  if (is_sum(accept) && component < accept->count) {
    add_component(accept, component, inout_figures);
  }
}

void case_figures_store(const case_figures_t *figures, store_divergence_t *inout_row) {
  inout_row->terms = figures->terms;
  inout_row->condition = figures->condition;
  inout_row->term_magnitude = figures->term_magnitude;
  inout_row->sum_magnitude = figures->sum_magnitude;
  inout_row->operand_elements = figures->operand_elements;
  inout_row->nan_elements = figures->nan_elements;
  inout_row->infinite_elements = figures->infinite_elements;
  inout_row->subnormal_elements = figures->subnormal_elements;
}
