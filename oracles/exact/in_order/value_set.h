/* SPDX-License-Identifier: Apache-2.0 */
/* A set of numbers of one float format, gathered value by value and read out in ascending order.
 *
 * Numbers are kept as keys: integers in the order of the numbers, in which -0 comes just before +0
 * and the numbers of a format of precision p are 2^(53-p) apart or more, so that close numbers have
 * close keys and a window of keys can be a field of marks. */
#ifndef ASSAY_ORACLES_EXACT_IN_ORDER_VALUE_SET_H
#define ASSAY_ORACLES_EXACT_IN_ORDER_VALUE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/base/arena.h"
#include "harness/num/binary64.h"
#include "harness/num/format.h"

typedef struct value_set {
  arena_t *arena; /* Borrowed; holds all below. */
  unsigned shift; /* Keys of the format are equal below this bit. */
  bool has_nan;
  bool uses_marks; /* All values lie in a window of `span` keys from `base`. */
  uint64_t base;
  size_t span;
  uint8_t *marks;   /* Zeros between uses ... */
  size_t marks_set; /* ... as far as they have been used at all. */
  uint64_t *slots;  /* An open hash table of 1 << slots_log2 keys ... */
  uint32_t *epochs; /* ... of which those are in use whose epoch is the present one. */
  uint32_t epoch;
  unsigned slots_log2;
  uint64_t *keys; /* The keys in the table in order of arrival. */
  size_t count;
} value_set_t;

static inline uint64_t value_key(double value) {
  uint64_t bits = binary64_bits(value);
  return bits ^ ((uint64_t)((int64_t)bits >> 63) | (uint64_t)1 << 63);
}

value_set_t value_set_make(const format_t *format, arena_t *arena);

/* Empties the set.  `low` and `high` bound what will be added (a zero stands for both zeros), or
 * are NaN if nobody knows; `additions` is about how many there will be, repetitions included. */
void value_set_clear(value_set_t *set, double low, double high, uint64_t additions);

/* Adds values, which may repeat; none is NaN or out of bounds if bounds were given. */
void value_set_add(value_set_t *set, const double *values, size_t count);

/* The number of values, and the values, ascending, NaN left out.  Reading ends the gathering. */
size_t value_set_count(const value_set_t *set);
void value_set_read(value_set_t *set, double *out_values);

#endif
