/* SPDX-License-Identifier: Apache-2.0 */
/* A select_and_scatter as sums: the terms of each result element are the source elements of the
 * windows that select it, in the order of the windows. */
#include "generated/windowed_faults.h"
#include "generated/windowed_permissions.h"
#include "oracles/derived/term_rows.h"
#include "oracles/ops/windowed/select.h"

/* The first variant selects by left folds, and drops what belongs to a window of padding alone.
 * What else may be selected is decided element by element of the result: each may get the sources
 * of windows that may have selected it, or not.  Where these are too many, and where a window holds
 * padding alone (of which the specification says nothing: stablehlo#731), the result is left open.
 * So variants are 0; then of each level of freedom one that leaves open, and one for each subset of
 * the sources that an element may get. */
enum { SOURCES_MAX = 4, SUBSETS = 1 << SOURCES_MAX, VARIANTS_OF_LEVEL = 1 + SUBSETS };

/* What the result elements may get at one level. */
typedef struct scatter {
  window_elements_t windows;
  const selection_t *selections;
  bool has_empty_window;
  uint32_t *sources; /* By result element: how many more than surely those it may get. */
} scatter_t;

static status_t scatter_make(const case_t *instance, select_level_t level, arena_t *arena,
                             scatter_t *out_scatter, failure_t *error) {
  scatter_t scatter = {.has_empty_window = false};
  STATUS_TRY(window_elements_make(&instance->program, FAULT_NONE, arena, &scatter.windows, error));
  const selector_t *selector = selector_make(instance, arena);
  scatter.selections = selector_choices(selector, &scatter.windows, level, arena);
  size_t results = type_element_count(&instance->program.results[0]);
  scatter.sources = arena_alloc_zeroed(arena, results * sizeof *scatter.sources);
  for (size_t i = 0; i < scatter.windows.window_count; i++) {
    const selection_t *selection = &scatter.selections[i];
    scatter.has_empty_window |= selection->folded < 0;
    for (size_t c = 0; selection->count > 1 && c < selection->count; c++) {
      scatter.sources[selection->choices[c]]++;
    }
  }
  *out_scatter = scatter;
  return STATUS_OK;
}

/* A source element and the result element that it goes to. */
typedef struct arrow {
  int64_t source;
  int64_t target;
} arrow_t;

/* Puts the arrows, which are in the order of the sources, into rows. */
static term_rows_t rows_of_arrows(const GArray *arrows, size_t row_count, bool last_only,
                                  arena_t *arena) {
  size_t *ends = arena_alloc_zeroed(arena, row_count * sizeof *ends);
  size_t *places = arena_alloc_zeroed(arena, row_count * sizeof *places);
  int64_t *terms = ARENA_NEW_ARRAY(arena, int64_t, arrows->len);
  for (guint i = 0; i < arrows->len; i++) {
    size_t target = (size_t)g_array_index(arrows, arrow_t, i).target;
    ends[target] = last_only ? 1 : ends[target] + 1;
  }
  for (size_t row = 0; row < row_count; row++) {
    places[row] = row == 0 ? 0 : ends[row - 1];
    ends[row] += places[row];
  }
  for (guint i = 0; i < arrows->len; i++) {
    arrow_t arrow = g_array_index(arrows, arrow_t, i);
    size_t row = (size_t)arrow.target;
    terms[places[row]] = arrow.source;
    if (!last_only) places[row]++;
  }
  return (term_rows_t){.row_count = row_count, .ends = ends, .terms = terms};
}

static void add_arrow(GArray *arrows, size_t source, int64_t target) {
  arrow_t arrow = {.source = (int64_t)source, .target = target};
  g_array_append_val(arrows, arrow);
}

/* Variant 0, with a fault or without. */
static status_t point_by_folds(const case_t *instance, fault_t fault, arena_t *arena,
                               GArray *arrows, failure_t *error) {
  window_elements_t windows;
  STATUS_TRY(window_elements_make(&instance->program, fault, arena, &windows, error));
  const selector_t *selector = selector_make(instance, arena);
  size_t results = type_element_count(&instance->program.results[0]);
  for (size_t i = 0; i < windows.window_count && results > 0; i++) {
    const int64_t *elements = windows.elements + i * windows.size;
    int64_t target = selector_fold(selector, elements, windows.size, fault);
    if (target >= 0) add_arrow(arrows, i, target);
  }
  return STATUS_OK;
}

/* Each element gets those of its doubtful sources whose bits are in `subset`. */
static void point_by_subset(const scatter_t *scatter, uint32_t subset, size_t results,
                            arena_t *arena, GArray *arrows) {
  uint32_t *seen = arena_alloc_zeroed(arena, results * sizeof *seen);
  for (size_t i = 0; i < scatter->windows.window_count; i++) {
    const selection_t *selection = &scatter->selections[i];
    if (selection->count == 1 && selection->folded >= 0) add_arrow(arrows, i, selection->folded);
    for (size_t c = 0; selection->count > 1 && c < selection->count; c++) {
      int64_t target = selection->choices[c];
      uint32_t bit = seen[target]++;
      if (bit < SOURCES_MAX && (subset >> bit & 1) != 0) add_arrow(arrows, i, target);
    }
  }
}

/* Where one variant has the source elements go. */
typedef struct pointing {
  GArray *arrows;      /* Of arrow_t. */
  const uint8_t *open; /* By result element: whether it is left open; NULL if none is. */
} pointing_t;

static status_t point(const case_t *instance, uint32_t variant, fault_t fault, arena_t *arena,
                      pointing_t *inout_pointing, failure_t *error) {
  GArray *arrows = inout_pointing->arrows;
  inout_pointing->open = NULL;
  if (variant == 0) return point_by_folds(instance, fault, arena, arrows, error);
  uint32_t of_level = (variant - 1) % VARIANTS_OF_LEVEL;
  scatter_t scatter;
  STATUS_TRY(scatter_make(instance, (select_level_t)((variant - 1) / VARIANTS_OF_LEVEL), arena,
                          &scatter, error));
  size_t results = type_element_count(&instance->program.results[0]);
  if (of_level > 0) {
    point_by_subset(&scatter, of_level - 1, results, arena, arrows);
    return STATUS_OK;
  }
  uint8_t *open = ARENA_NEW_ARRAY(arena, uint8_t, results);
  for (size_t i = 0; i < results; i++) {
    open[i] = scatter.has_empty_window || scatter.sources[i] > SOURCES_MAX;
  }
  inout_pointing->open = open;
  return point_by_folds(instance, fault, arena, arrows, error);
}

static status_t gather_scatter(const case_t *instance, uint32_t variant, fault_t fault,
                               arena_t *arena, derived_parts_t *out_parts, failure_t *error) {
  const program_t *program = &instance->program;
  GArray *arrows = g_array_new(FALSE, FALSE, sizeof(arrow_t));
  pointing_t pointing = {.arrows = arrows};
  status_t status = point(instance, variant, fault, arena, &pointing, error);
  if (status == STATUS_OK) {
    size_t row_count = type_element_count(&program->results[0]);
    term_rows_t rows = rows_of_arrows(arrows, row_count, fault == FAULT_scatter_overwrites, arena);
    rows.open = pointing.open;
    reduction_types_t types = windowed_types(program);
    term_source_t source = {.reduction = &windowed_attributes(program)->reduction,
                            .types = &types,
                            .inputs = &instance->operands[SELECT_SOURCE],
                            .inits = &instance->operands[SELECT_INIT]};
    *out_parts = term_rows_gather(&rows, &source, arena);
  }
  g_array_free(arrows, TRUE);
  return status;
}

static select_level_t level_of(const contract_t *contract) {
  if (PERMITTED(contract, selection) == SELECTION_ANY) return SELECT_ANY_ORDER;
  bool flushes = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  return flushes ? SELECT_FLUSHED : SELECT_IN_ORDER;
}

static bool has_one_variant(const case_t *instance, select_level_t level, arena_t *arena) {
  if (level != SELECT_IN_ORDER || has_empty_window(&instance->program)) return false;
  return !selector_has_nan(selector_make(instance, arena));
}

static uint32_t count_at_level(const case_t *instance, select_level_t level, arena_t *arena) {
  scatter_t scatter;
  if (has_one_variant(instance, level, arena)) return 1;
  if (scatter_make(instance, level, arena, &scatter, NULL) != STATUS_OK) return 1;
  uint32_t most = 0;
  size_t results = type_element_count(&instance->program.results[0]);
  for (size_t i = 0; i < results; i++) most = MAX(most, scatter.sources[i]);
  if (most == 0 && !scatter.has_empty_window) return 1;
  uint32_t subsets = most == 0 ? 0 : UINT32_C(1) << MIN(most, SOURCES_MAX);
  return 1 + (uint32_t)level * VARIANTS_OF_LEVEL + 1 + subsets;
}

static uint32_t count_variants(const case_t *instance, const contract_t *contract) {
  arena_t arena;
  arena_init(&arena);
  uint32_t count = count_at_level(instance, level_of(contract), &arena);
  arena_deinit(&arena);
  return count;
}

static const char *name_variant(uint32_t variant) {
  return (variant - 1) % VARIANTS_OF_LEVEL == 0 ? "unspecified" : "another selection";
}

const gathering_t select_and_scatter_gathering = {
    .gather = gather_scatter,
    .count_variants = count_variants,
    .name_variant = name_variant,
};
