/* SPDX-License-Identifier: Apache-2.0 */
/* Identification over a range of lengths by rules: supplies the dispatch map with sums of one
 * executor, prints the map as text or JSON, and stores a profile per range. */
#include "harness/cli/verbs/identify/map.h"

#include "harness/identify/order/order_by_length.h"
#include "harness/identify/profile/program_shape.h"
#include "reports/identify/length_map.h"

/* ---- The executor as a source of black boxes ------------------------------------------------- */

typedef struct executor_source {
  executor_t *executor;
  sum_shape_t shape;
  executor_sum_t *sum; /* The one opened last. */
} executor_source_t;

static status_t open_length(void *context, size_t term_count, arena_t *arena,
                            black_box_sum_t **out_sum, failure_t *error) {
  executor_source_t *source = (executor_source_t *)context;
  source->shape.terms = (int64_t)term_count;
  STATUS_TRY(executor_sum_open(source->executor, &source->shape, arena, &source->sum, error));
  *out_sum = executor_sum_black_box(source->sum);
  return STATUS_OK;
}

static status_t check_elements(void *context, const profile_t *profile, uint64_t seed,
                               arena_t *arena, bool *out_holds, failure_t *error) {
  enum { CASES = 4 };
  const executor_source_t *source = (const executor_source_t *)context;
  elements_check_t check = {.checked = 0};
  const check_data_t data = {.seed = seed, .count = CASES};
  STATUS_TRY(executor_sum_check(source->sum, profile, &data, arena, &check, error));
  *out_holds = check.predicted == check.checked;
  g_free(check.first_line);
  return STATUS_OK;
}

/* The program line with n for the length. */
static void print_shape(const sum_shape_t *shape, GString *out_text) {
  g_autoptr(GString) line = g_string_new(NULL);
  arena_t arena;
  arena_init(&arena);
  program_t program;
  size_t term_count;
  sum_shape_print(shape, line);
  if (program_parse(str_from(line->str), &arena, &program, NULL, NULL) == STATUS_OK) {
    program_shape_print(&program, out_text, &term_count);
  }
  arena_deinit(&arena);
}

static status_t store_map(store_t *store, const executor_t *executor, const order_by_length_t *map,
                          failure_t *error) {
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  for (guint i = 0; i < map->entries->len && status == STATUS_OK; i++) {
    const length_entry_t *entry = g_ptr_array_index(map->entries, i);
    if (entry->text == NULL) continue;
    arena_reset(&arena);
    profile_t profile;
    status = profile_parse(str_from(entry->text), &arena, &profile, error);
    if (status != STATUS_OK) break;
    const identify_stored_t stored = {.profile = &profile,
                                      .rule = entry->rule,
                                      .words = entry->words,
                                      .terms_low = entry->low,
                                      .terms_high = entry->high};
    status = identify_output_store(store, executor, &stored, error);
  }
  arena_deinit(&arena);
  return status;
}

static bool is_complete(const order_by_length_t *map) {
  for (guint i = 0; i < map->entries->len; i++) {
    const length_entry_t *entry = g_ptr_array_index(map->entries, i);
    if (entry->text == NULL) return false;
  }
  return true;
}

int identify_map(executor_t *executor, const sum_shape_t *shape, length_range_t range,
                 uint64_t seed, store_t *store, bool as_json) {
  executor_source_t context = {.executor = executor, .shape = *shape};
  context.shape.terms = range.low;
  const length_source_t source = {.open = open_length,
                                  .check = check_elements,
                                  .context = &context,
                                  .is_dear = executor_is_process(executor)};
  order_by_length_t map;
  failure_t error = {0};
  status_t status =
      order_by_length_find(&source, (size_t)range.low, (size_t)range.high, seed, &map, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  g_autoptr(GString) text = g_string_new(NULL);
  context.shape.terms = range.low;
  print_shape(&context.shape, text);
  if (as_json) {
    length_map_print_json(executor, text->str, &map);
  } else {
    length_map_print(executor, text->str, &map);
  }
  int exit_code = is_complete(&map) ? EXIT_CODE_CLEAN : EXIT_CODE_DIVERGES;
  if (store != NULL) status = store_map(store, executor, &map, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  order_by_length_free(&map);
  return exit_code;
}
