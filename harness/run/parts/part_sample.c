/* SPDX-License-Identifier: Apache-2.0 */
/* Draws units of a large case. */
#include "harness/run/parts/part_sample.h"

#include <stdlib.h>
#include <string.h>

/* ---- Drawing --------------------------------------------------------------------------------- */

typedef struct drawing {
  const cut_t *cut;
  const type_t *type; /* Of the first result. */
  rng_t rng;
  GArray *units;
} drawing_t;

static void choose(drawing_t *drawing, size_t element) {
  const size_t unit = cut_unit_of(drawing->cut, 0, element);
  g_array_append_val(drawing->units, unit);
}

static void choose_place(void *context, size_t element) { choose((drawing_t *)context, element); }

static int compare_sizes(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

size_t *part_sample_draw(const cut_t *cut, const program_t *program, uint64_t draws, uint64_t seed,
                         size_t *out_count) {
  drawing_t drawing = {.cut = cut,
                       .type = &program->results[0],
                       .rng = rng_make(seed),
                       .units = g_array_new(FALSE, FALSE, sizeof(size_t))};
  for (uint64_t i = 0; i < draws; i++) {
    const size_t unit = (size_t)rng_below(&drawing.rng, cut->unit_count);
    g_array_append_val(drawing.units, unit);
  }
  sample_places(drawing.type, &drawing.rng, choose_place, &drawing);
  size_t count = drawing.units->len;
  size_t *units = (size_t *)(void *)g_array_free(drawing.units, FALSE);
  qsort(units, count, sizeof *units, compare_sizes);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || units[i] != units[i - 1]) units[kept++] = units[i];
  }
  *out_count = kept;
  return units;
}

/* ---- Of blocks ------------------------------------------------------------------------------- */

static int compare_placed(const void *a, const void *b) {
  const placed_unit_t *x = (const placed_unit_t *)a, *y = (const placed_unit_t *)b;
  if (x->block != y->block) return (x->block > y->block) - (x->block < y->block);
  return (x->unit > y->unit) - (x->unit < y->unit);
}

part_sample_t part_sample_make(const cut_t *cut, const program_t *program, uint64_t seed) {
  part_sample_t sample = {.cut = cut, .program = program};
  if (type_component_count(&program->results[0]) <= SAMPLE_WHOLE_MAX) return sample;
  const size_t each = cut_unit_components(cut, program);
  const uint64_t draws = CLAMP(SAMPLE_WHOLE_MAX / each, SAMPLE_DRAWS_MIN, SAMPLE_DRAWS_MAX);
  size_t count;
  size_t *units = part_sample_draw(cut, program, draws, seed, &count);
  if (count <= cut->unit_count / 4 * 3) { /* The rest would cost little more. */
    sample.draws = draws;
    sample.count = count;
    sample.units = g_new(placed_unit_t, count);
    for (size_t i = 0; i < count; i++) {
      sample.units[i] = (placed_unit_t){cut_block_of_unit(cut, units[i]), units[i]};
    }
    qsort(sample.units, count, sizeof *sample.units, compare_placed);
  }
  g_free(units);
  return sample;
}

void part_sample_clear(part_sample_t *sample) { g_free(sample->units); }

/* The first unit of a block, or of the next one that has any. */
static size_t find_first(const part_sample_t *sample, size_t block) {
  size_t low = 0, high = sample->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (sample->units[middle].block < block) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

sample_t part_sample_of(const part_sample_t *sample, size_t block, const program_t *part,
                        arena_t *arena) {
  sample_t found = {{NULL}, {0}, {0}};
  if (sample->draws == 0) return found;
  const cut_block_t place = cut_block(sample->cut, block);
  const double whole = (double)type_component_count(&sample->program->results[0]);
  const size_t first = find_first(sample, block);
  for (uint32_t r = 0; r < part->result_count; r++) {
    const size_t count = type_component_count(&part->results[r]);
    uint8_t *chosen = arena_alloc_zeroed(arena, count);
    for (size_t i = first; i < sample->count && sample->units[i].block == block; i++) {
      cut_mark_unit(sample->cut, &place, &part->results[r], r, sample->units[i].unit, chosen);
    }
    const double share = (double)type_component_count(&part->results[0]) / whole;
    found.chosen[r] = chosen;
    found.draws[r] = sample->draws;
    found.asked_max[r] = MAX((size_t)((double)ACCEPT_ASKED_MAX * share), 1);
  }
  return found;
}
