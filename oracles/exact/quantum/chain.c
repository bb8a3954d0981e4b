/* SPDX-License-Identifier: Apache-2.0 */
#include "oracles/exact/quantum/chain.h"

#include <math.h>

#include "generated/exact_permissions.h"
#include "oracles/exact/magnitude.h"
#include "oracles/exact/quantum/quantize_mpfr.h"

/* ---- Which there are ------------------------------------------------------------------------- */

/* What one step of a chain may be: in an arithmetic, given as a number of a format. */
typedef struct step {
  const format_t *arithmetic, *given;
} step_t;

typedef struct chain_list {
  const format_t *expressed;
  size_t arithmetic_count;
  const format_t *arithmetics[2]; /* quantum_arithmetics() */
  bool is_same_difference;        /* Dequantizing in f32 and rounding is dequantizing. */
  bool is_same_op;                /* So it is with the op. */
} chain_list_t;

/* The steps of one kind that take a number of `taken`. */
static size_t list_steps(const chain_list_t *list, const format_t *taken, bool is_same,
                         step_t out_steps[3]) {
  const format_t *expressed = list->expressed;
  bool takes_expressed = false;
  size_t count = 0;
  for (size_t i = 0; i < list->arithmetic_count; i++) {
    const format_t *arithmetic = list->arithmetics[i];
    if (arithmetic == expressed) {
      if (taken != expressed) continue;
      takes_expressed = true;
      out_steps[count++] = (step_t){expressed, expressed};
      continue;
    }
    out_steps[count++] = (step_t){arithmetic, arithmetic};
    if (!takes_expressed || !is_same) out_steps[count++] = (step_t){arithmetic, expressed};
  }
  return count;
}

/* Whether a difference of storage values of so many bits is a number of the expressed type, and its
 * product with a scale one of f32: then one rounding is left either way. */
static bool has_short_products(unsigned bits, const format_t *expressed) {
  return bits <= (unsigned)expressed->precision &&
         bits + (unsigned)expressed->precision <= (unsigned)format_table[FORMAT_f32].precision &&
         ldexp(1, (int)bits) <= format_to_double(expressed, expressed->largest_bits);
}

/* Whether f32 holds all products, or, of sums, has so many bits that rounding twice is rounding
 * once (theory.md, T6). */
static bool is_rounded_once(const format_t *expressed, bool multiplies) {
  const format_t *f32 = &format_table[FORMAT_f32];
  int least = 2 * (expressed->exponent_min - expressed->precision + 1);
  return 2 * expressed->precision + 2 <= f32->precision &&
         (!multiplies || least >= f32->exponent_min - f32->precision + 1);
}

static void add_chain(const chain_list_t *list, step_t first, step_t second,
                      const format_t *quantize, quantum_chain_t *out) {
  bool is_rounded = first.given == list->expressed || second.given == list->expressed ||
                    quantize == list->expressed;
  *out = (quantum_chain_t){.dequantize = first.arithmetic,
                           .operate = second.arithmetic,
                           .quantize = quantize,
                           .given = {first.given, second.given},
                           .narrowest = is_rounded ? list->expressed : quantize};
}

/* All in one arithmetic, and nothing rounded between. */
static bool is_pure(step_t first, step_t second, const format_t *quantize) {
  return first.arithmetic == quantize && first.given == quantize && second.arithmetic == quantize &&
         second.given == quantize;
}

/* The chains of one way to quantize. */
static size_t list_chains(const chain_list_t *list, quantum_chain_t *out_chains) {
  step_t first[3], second[3];
  size_t count = 0;
  for (size_t i = 0; i < list->arithmetic_count; i++) {
    const step_t step = {list->arithmetics[i], list->arithmetics[i]};
    add_chain(list, step, step, step.given, &out_chains[count++]);
  }
  size_t firsts = list_steps(list, list->expressed, list->is_same_difference, first);
  for (size_t a = 0; a < firsts; a++) {
    size_t ops = list_steps(list, first[a].given, list->is_same_op, second);
    for (size_t b = 0; b < ops; b++) {
      for (size_t c = 0; c < list->arithmetic_count; c++) {
        const format_t *quantize = list->arithmetics[c];
        bool is_listed = is_pure(first[a], second[b], quantize);
        if (is_listed || !arithmetic_format_holds(quantize, second[b].given)) continue;
        add_chain(list, first[a], second[b], quantize, &out_chains[count++]);
      }
    }
  }
  return count;
}

size_t quantum_chains(const type_t *type, unsigned bits, const contract_t *contract,
                      bool multiplies, quantum_chain_t out_chains[QUANTUM_CHAINS_MAX]) {
  const format_t *expressed = quantum_expressed(type);
  bool is_nearest = PERMITTED(contract, accum_rounding) != ACCUM_ROUNDING_RZ;
  chain_list_t list = {.expressed = expressed,
                       .is_same_difference = is_nearest && has_short_products(bits, expressed),
                       .is_same_op = is_nearest && is_rounded_once(expressed, multiplies)};
  list.arithmetic_count = quantum_arithmetics(type, contract, list.arithmetics);
  quantize_way_t ways[QUANTIZE_WAYS_MAX];
  const size_t way_count = quantize_ways(contract, ways);
  size_t count = 0;
  for (size_t i = 0; i < way_count; i++) {
    const size_t added = list_chains(&list, &out_chains[count]);
    for (size_t k = 0; k < added; k++) out_chains[count + k].way = ways[i];
    count += added;
  }
  return count;
}

/* ---- What they give -------------------------------------------------------------------------- */

double quantum_chain_dequantize(const quantum_chain_t *chain, const quantum_t *quantum,
                                int64_t stored) {
  double value = quantum_dequantize(quantum, chain->dequantize, stored);
  return chain->given[0] == chain->dequantize ? value : format_round_double(chain->given[0], value);
}

double quantum_chain_convert(const quantum_chain_t *chain, const quantum_t *from, int64_t stored) {
  return quantum_chain_result(chain, quantum_chain_dequantize(chain, from, stored));
}

int64_t quantum_chain_quantize(const quantum_chain_t *chain, const quantum_t *quantum,
                               double value) {
  if (chain->way.width != QUANTIZE_UNROUNDED) {
    return quantum_quantize_by(quantum, chain->quantize, chain->way, value);
  }
  int64_t choices[QUANTUM_CHOICES_MAX];
  return quantum_chain_choices(chain, quantum, value, choices) == 0 ? quantum->zero_point
                                                                    : choices[0];
}

bool quantum_chain_is_decided(const quantum_chain_t *chain, const quantum_t *quantum,
                              double value) {
  int64_t choices[QUANTUM_CHOICES_MAX];
  return quantum_chain_choices(chain, quantum, value, choices) == 1;
}

size_t quantum_chain_choices(const quantum_chain_t *chain, const quantum_t *quantum, double value,
                             int64_t out_stored[QUANTUM_CHOICES_MAX]) {
  return quick_quantize_by(quantum, chain->quantize, chain->way, value, out_stored);
}

bool quantum_chain_divides(const quantum_chain_t *chain, const quantum_t *quantum) {
  if (!chain->way.by_reciprocal) return true;
  const arithmetic_t steps = arithmetic_make(chain->quantize);
  double inverse = arithmetic_divide(&steps, 1, quantum->scale);
  return isfinite(inverse) && inverse >= ldexp(1, chain->quantize->exponent_min);
}

/* ---- How they err ---------------------------------------------------------------------------- */

/* (1 + error) (1 + u)^times - 1: theory.md, T42. */
static upper_t err_more(upper_t error, const format_t *format, int unit, int times) {
  double u = unit * ldexp(1, -format->precision);
  for (int i = 0; i < times; i++) {
    error = upper_add(upper_add(error, upper_scale(error, u)), upper_of(u));
  }
  return error;
}

/* theory.md, T42, T190 and T294. */
quantum_errors_t quantum_chain_errors(const quantum_chain_t *chain, bool multiplies, int unit) {
  upper_t parts = upper_of(0);
  for (int operand = 0; operand < (multiplies ? 2 : 1); operand++) {
    parts = err_more(parts, chain->dequantize, unit, 2);
    if (chain->given[0] != chain->dequantize) parts = err_more(parts, chain->given[0], unit, 1);
  }
  parts = err_more(parts, chain->operate, unit, 1);
  if (chain->given[1] != chain->operate) parts = err_more(parts, chain->given[1], unit, 1);
  parts = err_more(parts, chain->quantize, unit, chain->way.by_reciprocal ? 3 : 2);
  return (quantum_errors_t){.parts = parts.value,
                            .zero_point = err_more(upper_of(0), chain->quantize, unit, 2).value};
}
