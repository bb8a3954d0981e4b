/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns with and without the lines that may be left out, in the order in which they are tried.
 */
#include "harness/quant/fuse/state.h"

quant_argument_t variant_resolve(const variant_t *variant, quant_argument_t argument) {
  while (argument.kind == QUANT_ARGUMENT_LINE && !variant_has(variant, argument.index)) {
    argument = variant->pattern->lines[argument.index].arguments[0];
  }
  return argument;
}

/* Lines that the root needs, where those of `left_out` are left out. */
static void mark_needed(const variant_t *variant, uint32_t line, uint32_t *inout_needed) {
  *inout_needed |= 1U << line;
  const quant_pattern_line_t *here = &variant->pattern->lines[line];
  for (uint32_t i = 0; i < here->argument_count; i++) {
    const quant_argument_t argument = variant_resolve(variant, here->arguments[i]);
    if (argument.kind == QUANT_ARGUMENT_LINE) mark_needed(variant, argument.index, inout_needed);
  }
}

/* The variant in which the optional lines of `left_out` are left out; false if another one is the
 * same, since what is left out here is not needed there, or no op is left. */
static bool make_variant(const quant_target_t *table, uint32_t index, uint32_t left_out,
                         variant_t *out_variant) {
  const quant_pattern_t *pattern = &table->patterns[index];
  variant_t variant = {.pattern = pattern, .index = index, .left_out = left_out};
  const quant_argument_t output = {.kind = QUANT_ARGUMENT_LINE, .index = pattern->line_count - 1};
  const quant_argument_t root = variant_resolve(&variant, output);
  if (root.kind != QUANT_ARGUMENT_LINE) return false;
  variant.root = root.index;
  uint32_t needed = 0;
  mark_needed(&variant, root.index, &needed);
  for (uint32_t i = 0; i < pattern->line_count; i++) {
    bool is_there = needed >> i & 1;
    bool is_kept = pattern->lines[i].is_optional && variant_has(&variant, i);
    if (is_kept && !is_there) return false;
    variant.size += is_there;
  }
  variant.left_out = ~needed & ((1U << pattern->line_count) - 1);
  *out_variant = variant;
  return true;
}

/* The lines with "?=" whose bits are set in a number: the last line is its lowest bit, so that with
 * growing numbers earlier lines are kept longest. */
static uint32_t optional_lines(const quant_pattern_t *pattern, uint32_t number) {
  uint32_t lines = 0;
  for (uint32_t i = pattern->line_count; i-- > 0;) {
    if (!pattern->lines[i].is_optional) continue;
    if (number & 1) lines |= 1U << i;
    number >>= 1;
  }
  return lines;
}

static uint32_t count_optional(const quant_pattern_t *pattern) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < pattern->line_count; i++) count += pattern->lines[i].is_optional;
  return count;
}

const variant_t *variants_of(const quant_target_t *table, arena_t *arena, uint32_t *out_count) {
  GArray *found = g_array_new(FALSE, FALSE, sizeof(variant_t));
  for (uint32_t size = QUANT_PATTERN_LINES_MAX; size > 0; size--) {
    for (uint32_t i = 0; i < table->pattern_count; i++) {
      const quant_pattern_t *pattern = &table->patterns[i];
      for (uint32_t number = 0; number >> count_optional(pattern) == 0; number++) {
        variant_t variant;
        bool is_new = make_variant(table, i, optional_lines(pattern, number), &variant);
        if (is_new && variant.size == size) g_array_append_val(found, variant);
      }
    }
  }
  variant_t *variants = ARENA_NEW_ARRAY(arena, variant_t, found->len + 1);
  if (found->len > 0) memcpy(variants, found->data, found->len * sizeof variants[0]);
  *out_count = found->len;
  g_array_free(found, TRUE);
  return variants;
}
