/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the numbers that a row shares: cells of them, which hold none that explain some
 * witnesses, or are tried in the middle, or are divided (theory.md, T110 to T112). */
#include "oracles/composite/rows/row_search.h"

#include <glib.h>

#include "oracles/formula/enclosed_set.h"

enum {
  CELLS_MAX = 1000,         /* Looked at before the search ends; */
  CAREFUL_CELLS_MAX = 100,  /* where the fast evaluator has not tried before, */
  MODELLED_CELLS_MAX = 400, /* but models have. */
  DEPTH_MAX = 200,          /* Cells that wait. */
  TRIALS_MAX = 64,          /* Numbers that are held against the whole row. */
};

/* Intervals of all numbers; cells that wait are a stack. */
typedef struct cell_stack {
  size_t count;
  size_t made;
  enclosed_t *cells[DEPTH_MAX];
} cell_stack_t;

static enclosed_t *push(cell_stack_t *stack, const shared_row_t *row) {
  if (stack->count == DEPTH_MAX) return NULL;
  if (stack->count == stack->made) {
    stack->cells[stack->made++] = enclosed_new(row->shared.arena, row->shared.count);
  }
  return stack->cells[stack->count++];
}

/* Divides the last cell of the stack; returns false if that is no use, or it is full. */
static bool divide(shared_row_t *row, const part_t *elements, const row_sides_t *sides,
                   cell_stack_t *stack) {
  enclosed_t *cell = stack->cells[stack->count - 1];
  size_t k;
  if (!shared_row_choose(row, elements, cell, sides, &k)) return false;
  enclosed_t *other = push(stack, row);
  if (other == NULL) return false;
  for (size_t i = 0; i < row->shared.count; i++) enclosed_copy(&other[i], &cell[i]);
  shared_row_set_to_middle(&other[k]); /* The lower half, and the upper one. */
  mpfr_swap(other[k].low, cell[k].low);
  return true;
}

/* The witnesses as a part of the row: at least two, since what has one number would be shared. */
static part_t part_of_witnesses(const shared_row_t *row, const row_witnesses_t *witnesses,
                                size_t terms[ROW_ELEMENTS_MAX + 1]) {
  size_t count = witnesses->count;
  for (size_t i = 0; i < count; i++) terms[i] = witnesses->terms[i];
  if (count == 1) terms[count++] = terms[0];
  return (part_t){row->row.group, 0, count, terms};
}

static bool is_witness(const row_witnesses_t *witnesses, size_t term) {
  for (size_t i = 0; i < witnesses->count; i++) {
    if (witnesses->terms[i] == term) return true;
  }
  return false;
}

/* Returns whether one more was found, and there was room. */
static bool add_witnesses(row_witnesses_t *witnesses, const row_outside_t *outside) {
  size_t before = witnesses->count;
  for (int side = 0; side < 2; side++) {
    if (outside->gaps[side] == 0 || is_witness(witnesses, outside->terms[side])) continue;
    if (witnesses->count == ROW_ELEMENTS_MAX) continue;
    witnesses->terms[witnesses->count++] = outside->terms[side];
  }
  return witnesses->count > before;
}

/* Whether a point near the middle of the cell explains the elements: the middle, or the nearest
 * number of the format; and if not, what is outside in the middle. */
static bool middle_explains(shared_row_t *row, const part_t *elements, shared_mode_t *out_mode,
                            row_sides_t *out_sides) {
  row_sides_t ignored;
  *out_mode = SHARED_MIDDLE;
  if (!shared_row_fails(row, elements, SHARED_MIDDLE, out_sides)) return true;
  *out_mode = SHARED_NEAREST;
  return !shared_row_fails(row, elements, SHARED_NEAREST, &ignored);
}

static size_t cells_of(const variant_t *variant) {
  if (problem_has_fast_shared(variant)) return CELLS_MAX;
  return problem_has_models(variant) ? MODELLED_CELLS_MAX : CAREFUL_CELLS_MAX;
}

/* `grown`: where witnesses may be added; else NULL. */
static row_verdict_t search_cells(shared_row_t *row, const row_witnesses_t *witnesses,
                                  row_witnesses_t *grown, cell_stack_t *stack) {
  size_t terms[ROW_ELEMENTS_MAX + 1];
  row_sides_t sides;
  shared_mode_t mode;
  size_t trials = 0, most = cells_of(&row->variant);
  for (size_t looked = 0; stack->count > 0; looked++) {
    if (looked == most) return ROW_UNDECIDED;
    const part_t elements = part_of_witnesses(row, witnesses, terms);
    enclosed_t *cell = stack->cells[stack->count - 1];
    shared_row_set_cell(row, cell);
    if (shared_row_fails(row, &elements, SHARED_WITHIN, &sides)) {
      stack->count--;
      continue;
    }
    shared_row_keep_found(row, cell);
    shared_row_set_cell(row, cell);
    if (middle_explains(row, &elements, &mode, &sides)) {
      if (grown == NULL) return ROW_AGREES;
      row_outside_t outside = shared_row_find_outside(row, mode);
      if (!outside.has_some) return ROW_AGREES;
      if (++trials == TRIALS_MAX || !add_witnesses(grown, &outside)) return ROW_UNDECIDED;
      continue;
    }
    if (!divide(row, &elements, &sides, stack)) return ROW_UNDECIDED;
  }
  return ROW_CONTRADICTS;
}

static row_verdict_t search_from_all(shared_row_t *row, const row_witnesses_t *witnesses,
                                     row_witnesses_t *grown) {
  if (row->shared.has_special) return ROW_UNDECIDED;
  arena_mark_t mark = arena_mark(row->shared.arena);
  cell_stack_t *stack = ARENA_NEW_ARRAY(row->shared.arena, cell_stack_t, 1);
  *stack = (cell_stack_t){.count = 0};
  enclosed_t *whole = push(stack, row);
  for (size_t i = 0; i < row->shared.count; i++) {
    enclosed_copy(&whole[i], row->shared.numbers[i].recorded);
    enclosed_join_zero(&whole[i]);
  }
  row_verdict_t verdict = search_cells(row, witnesses, grown, stack);
  arena_rewind(row->shared.arena, mark);
  return verdict;
}

row_verdict_t row_search_witnesses(shared_row_t *row, const row_witnesses_t *witnesses) {
  return search_from_all(row, witnesses, NULL);
}

row_verdict_t row_search_all(shared_row_t *row, row_witnesses_t *inout_witnesses) {
  return search_from_all(row, inout_witnesses, inout_witnesses);
}
