/* SPDX-License-Identifier: Apache-2.0 */
/* Set of floats under construction: a byte field when the expected values lie close together and
 * are many, else an open-addressing hash table. Clearing costs nothing, since hash slots carry the
 * number of the set they belong to. */
#include "oracles/exact/in_order/value_set.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MARKS_MAX = 1 << 20,
  MARKS_PER_ADDITION = 64, /* Reading this many marks costs as much as hashing one value. */
  MARKS_FEW = 1 << 10,     /* So few marks are always worth it. */
  WORD_BYTES = sizeof(uint64_t),
  SLOTS_LOG2_MIN = 8,
};

static void slots_make(value_set_t *set) {
  size_t capacity = (size_t)1 << set->slots_log2;
  set->slots = ARENA_NEW_ARRAY(set->arena, uint64_t, capacity);
  set->keys = ARENA_NEW_ARRAY(set->arena, uint64_t, capacity);
  set->epochs = arena_alloc_zeroed(set->arena, capacity * sizeof(uint32_t));
  set->epoch = 1;
  set->count = 0;
}

value_set_t value_set_make(const format_t *format, arena_t *arena) {
  value_set_t set = {
      .arena = arena, .shift = 53u - format->precision, .slots_log2 = SLOTS_LOG2_MIN};
  set.marks = ARENA_NEW_ARRAY(arena, uint8_t, MARKS_MAX + WORD_BYTES);
  slots_make(&set);
  return set;
}

void value_set_clear(value_set_t *set, double low, double high, uint64_t additions) {
  set->has_nan = false;
  set->uses_marks = false;
  set->count = 0;
  set->epoch++;
  if (set->epoch == 0) { /* Wrapped around: old epochs could be taken for new ones. */
    memset(set->epochs, 0, sizeof(uint32_t) << set->slots_log2);
    set->epoch = 1;
  }
  if (isnan(low) || isnan(high)) return;
  uint64_t base = value_key(low == 0 ? -0.0 : low) >> set->shift;
  uint64_t span = (value_key(high == 0 ? 0.0 : high) >> set->shift) - base + 1;
  uint64_t worthwhile = MAX(additions, MARKS_FEW / MARKS_PER_ADDITION);
  if (span > MARKS_MAX || span / MARKS_PER_ADDITION > worthwhile) return;
  set->uses_marks = true;
  set->base = base;
  set->span = span;
  size_t end = span + WORD_BYTES;
  if (set->marks_set >= end) return;
  memset(set->marks + set->marks_set, 0, end - set->marks_set);
  set->marks_set = end;
}

static void slots_insert(value_set_t *set, uint64_t key);

static void slots_grow(value_set_t *set) {
  const uint64_t *keys = set->keys;
  size_t count = set->count;
  set->slots_log2++;
  slots_make(set);
  for (size_t i = 0; i < count; i++) slots_insert(set, keys[i]);
}

/* Multiplicative hashing (Knuth, volume 3, section 6.4) with linear probing; at most half full. */
static void slots_insert(value_set_t *set, uint64_t key) {
  size_t mask = ((size_t)1 << set->slots_log2) - 1;
  size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - set->slots_log2));
  while (set->epochs[slot] == set->epoch) {
    if (set->slots[slot] == key) return;
    slot = (slot + 1) & mask;
  }
  set->epochs[slot] = set->epoch;
  set->slots[slot] = key;
  set->keys[set->count++] = key;
  if (set->count > mask / 2) slots_grow(set);
}

void value_set_add(value_set_t *set, const double *values, size_t count) {
  if (set->uses_marks) {
    for (size_t i = 0; i < count; i++) {
      set->marks[(value_key(values[i]) >> set->shift) - set->base] = 1;
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) {
      set->has_nan = true;
    } else {
      slots_insert(set, value_key(values[i]) >> set->shift);
    }
  }
}

/* Marks are 0 or 1, so that the upper byte of this product is their sum. */
static size_t count_marks(const value_set_t *set) {
  size_t count = 0;
  for (size_t start = 0; start < set->span; start += WORD_BYTES) {
    uint64_t word;
    memcpy(&word, set->marks + start, WORD_BYTES);
    count += word * 0x0101010101010101u >> 56;
  }
  return count;
}

size_t value_set_count(const value_set_t *set) {
  return set->uses_marks ? count_marks(set) : set->count;
}

/* The bits of a negative number are inverted in its key, the zeros at its end too. */
static double value_of(const value_set_t *set, uint64_t shifted_key) {
  uint64_t key = shifted_key << set->shift;
  uint64_t sign = (uint64_t)1 << 63;
  uint64_t bits = (key & sign) != 0 ? key ^ sign : ~(key | (((uint64_t)1 << set->shift) - 1));
  return binary64_value(bits);
}

static void read_marks(value_set_t *set, double *out_values) {
  for (size_t start = 0; start < set->span; start += WORD_BYTES) {
    uint64_t word;
    memcpy(&word, set->marks + start, WORD_BYTES);
    if (word == 0) continue;
    for (size_t i = start; i < start + WORD_BYTES; i++) {
      if (set->marks[i] != 0) *out_values++ = value_of(set, set->base + i);
    }
    memset(set->marks + start, 0, WORD_BYTES);
  }
}

static int compare_keys(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return left < right ? -1 : left > right;
}

void value_set_read(value_set_t *set, double *out_values) {
  if (set->uses_marks) {
    read_marks(set, out_values);
    return;
  }
  qsort(set->keys, set->count, sizeof *set->keys, compare_keys);
  for (size_t i = 0; i < set->count; i++) out_values[i] = value_of(set, set->keys[i]);
}
