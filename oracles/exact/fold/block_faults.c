/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of reductions in blocks: kernels that take terms by tiles, warps, halves or narrow
 * counters, and so lose some or take them twice. */
#include "harness/model/fault.h"
#include "oracles/exact/error_bound.h"
#include "oracles/exact/fold/parts.h"

enum { BLOCK = 32, LARGE_BLOCK = 64, WARP = 32, TILE = 16, VECTOR = 8, THREADS = 1024 };

/* ---- Lost terms ------------------------------------------------------------------------------ */

/* Whether the term at a place enters, of `count` terms. */
typedef bool keeps_t(size_t place, size_t count);

static bool is_in_whole_block(size_t place, size_t count) { return place < count / BLOCK * BLOCK; }

static bool is_before_last_block(size_t place, size_t count) {
  return place < (count - 1) / LARGE_BLOCK * LARGE_BLOCK;
}

static bool is_in_first_half(size_t place, size_t count) {
  return place % WARP < WARP / 2 || place >= count / WARP * WARP;
}

/* Term i is added to term i - n/2, and n/2 are left: of an odd n one is forgotten. */
static bool survives_halving(size_t place, size_t count) {
  for (size_t left = count; left > 1; left /= 2) {
    if (left % 2 != 0 && place == left - 1) return false;
    place %= left / 2;
  }
  return true;
}

static bool is_of_one_block(size_t place, size_t count) {
  (void)count;
  return place < THREADS;
}

static bool is_counted_in_8_bits(size_t place, size_t count) { return place < (count & 0xff); }
static bool is_counted_in_16_bits(size_t place, size_t count) { return place < (count & 0xffff); }

static const struct {
  fault_t fault;
  size_t more_than; /* Fewer terms are all kept. */
  keeps_t *keeps;
} losses[] = {
    {FAULT_blocks_tail_lost, BLOCK, is_in_whole_block},
    {FAULT_last_block_lost, LARGE_BLOCK, is_before_last_block},
    {FAULT_half_warps_lost, WARP - 1, is_in_first_half},
    {FAULT_odd_halves_lost, 1, survives_halving},
    {FAULT_terms_of_one_block, THREADS, is_of_one_block},
    {FAULT_term_count_of_8_bits, 0xff, is_counted_in_8_bits},
    {FAULT_term_count_of_16_bits, 0xffff, is_counted_in_16_bits},
};

static size_t lose_terms(keeps_t *keeps, fold_value_t *terms, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (keeps(i, count)) terms[kept++] = terms[i];
  }
  return kept;
}

/* ---- Terms that enter besides ---------------------------------------------------------------- */

static size_t overlap_last_tile(fold_value_t *terms, size_t count) {
  size_t twice = count > TILE && count % TILE != 0 ? TILE - count % TILE : 0;
  size_t first = count - TILE;
  for (size_t i = 0; i < twice; i++) terms[count + i] = terms[first + i];
  return count + twice;
}

static bool is_extremum(const fold_t *fold) {
  return fold->body == FOLD_MAXIMUM || fold->body == FOLD_MINIMUM;
}

/* What an extremum starts from by that fault; false if it starts from the first term. */
static bool find_start(const fold_t *fold, fold_value_t *out_start) {
  fault_t fault = fold->schedule->fault;
  const element_t *element = fold->element;
  bool is_maximum = fold->body == FOLD_MAXIMUM;
  if (!is_extremum(fold)) return false;
  if (element->kind == ELEMENT_FLOAT) {
    const format_t *format = element->format;
    double largest = format_to_double(format, format->largest_bits);
    *out_start = fold_real(fault == FAULT_maximum_from_smallest ? format_smallest_normal(format)
                           : is_maximum                         ? -largest
                                                                : largest);
    return fault == FAULT_extremum_from_finite ||
           (fault == FAULT_maximum_from_smallest && is_maximum);
  }
  bool is_signed = element->kind == ELEMENT_SIGNED;
  int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : (int64_t)UINT32_MAX;
  *out_start = fold_integer((uint64_t)(is_maximum ? least : most));
  return fault == FAULT_extremum_of_32_bits && element->bits == 64;
}

static fold_value_t zero_term(const fold_t *fold) {
  if (fold->element->kind == ELEMENT_COMPLEX) return fold_complex(0, 0);
  return fold->element->kind == ELEMENT_FLOAT ? fold_real(0) : fold_integer(0);
}

size_t fold_spoil_blocks(const fold_t *fold, fold_value_t *terms, size_t count) {
  fault_t fault = fold->schedule->fault;
  bool has_index = fold->body == FOLD_ARGMAX || fold->body == FOLD_ARGMIN;
  for (size_t i = 0; i < G_N_ELEMENTS(losses); i++) {
    bool acts = losses[i].fault == fault && count > losses[i].more_than;
    if (acts) return lose_terms(losses[i].keeps, terms, count);
  }
  if (fault == FAULT_last_tile_overlaps) return overlap_last_tile(terms, count);
  if (fault == FAULT_boundary_twice && count > LARGE_BLOCK) terms[count++] = terms[LARGE_BLOCK];
  if (fault == FAULT_padding_of_zeros && count > VECTOR && count % VECTOR != 0 && !has_index) {
    terms[count++] = zero_term(fold);
  }
  fold_value_t start;
  if (count > 0 && find_start(fold, &start)) terms[count++] = start;
  return count;
}
