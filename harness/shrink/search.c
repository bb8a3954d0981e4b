/* SPDX-License-Identifier: Apache-2.0 */
/* Core of case shrinking: tests candidates against the caller's predicate, keeps the best one in
 * one of two arenas, remembers digests of cases already tried, and loops until a pass changes
 * nothing. */
#include "harness/shrink/shrink.h"

#include <string.h>

#include "harness/draw/draw_quantization.h"
#include "harness/kinds/module/module.h"
#include "harness/model/dynamic/dynamic.h"
#include "harness/shrink/state.h"

enum { FRESH_DATA = 6 /* Data sets tried besides the present ones. */ };

/* ---- Sets of digests ------------------------------------------------------------------------- */

static guint hash_digest(gconstpointer key) { return (guint)((const digest_t *)key)->low; }

static gboolean equal_digests(gconstpointer a, gconstpointer b) {
  return memcmp(a, b, sizeof(digest_t)) == 0;
}

static GHashTable *new_set(void) {
  return g_hash_table_new_full(hash_digest, equal_digests, g_free, NULL);
}

static void add_digest(GHashTable *set, const digest_t *digest) {
  g_hash_table_add(set, g_memdup2(digest, sizeof *digest));
}

static digest_t program_digest(shrink_t *shrink, const program_t *program) {
  g_string_truncate(shrink->text, 0);
  program_print(program, shrink->text);
  return digest_of(shrink->text->str, shrink->text->len);
}

static digest_t case_digest(const case_t *instance, const digest_t *program) {
  digest_t parts[1 + CASE_OPERANDS_MAX] = {*program};
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    const tensor_t *operand = &instance->operands[i];
    parts[1 + i] = digest_of(operand->data, type_bytes(&operand->type));
  }
  return digest_of(parts, sizeof parts);
}

/* ---- One candidate --------------------------------------------------------------------------- */

bool shrink_is_over(const shrink_t *shrink) {
  const shrink_options_t *options = shrink->options;
  if (options->stop != NULL && *options->stop != 0) return true;
  return shrink->status != STATUS_OK || shrink->report.calls >= options->calls_max;
}

static void print_label(const program_t *program, GString *out_text) {
  g_string_truncate(out_text, 0);
  if (program_is_module(program)) return;
  program->op->print_algorithm(program, out_text);
  g_string_append_c(out_text, '\n');
  program_print_types(program, out_text);
}

static bool is_broken_alike(const shrink_t *shrink, const program_t *program) {
  return program_broken(program) == shrink->broken;
}

bool shrink_admits(shrink_t *shrink, const program_t *program) {
  failure_t error;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    if (type_check(&program->operands[i], &error) != STATUS_OK) return false;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (type_check(&program->results[i], &error) != STATUS_OK) return false;
  }
  if (!is_broken_alike(shrink, program) || !dynamic_fits(program)) return false;
  print_label(program, shrink->text);
  return g_string_equal(shrink->text, shrink->label);
}

static void keep(shrink_t *shrink, const case_t *candidate, const shrink_measure_t *measure) {
  shrink->at = 1 - shrink->at;
  arena_reset(&shrink->arenas[shrink->at]);
  shrink->best = case_copy(&shrink->arenas[shrink->at], candidate);
  shrink->report.after = *measure;
}

static bool decide(shrink_t *shrink, const case_t *candidate) {
  bool holds = false;
  shrink->report.calls++;
  shrink->status =
      shrink->options->still(shrink->options->context, candidate, &holds, &shrink->error);
  if (shrink->status == STATUS_OK) return holds;
  const shrink_measure_t measure = shrink_measure(candidate, shrink->broken != NULL);
  keep(shrink, candidate, &measure);
  return false;
}

/* A program not asked about yet is one change more; false if there are none left. */
static bool pay_for_program(shrink_t *shrink, const digest_t *program) {
  if (g_hash_table_contains(shrink->programs, program)) return true;
  if (shrink->report.program_changes >= shrink->options->program_changes_max) {
    shrink->has_program_left_out = true;
    return false;
  }
  shrink->report.program_changes++;
  add_digest(shrink->programs, program);
  return true;
}

bool shrink_try(shrink_t *shrink, const case_t *candidate) {
  if (shrink_is_over(shrink) || !shrink_admits(shrink, &candidate->program)) return false;
  shrink_measure_t measure = shrink_measure(candidate, shrink->broken != NULL);
  if (shrink_measure_compare(&measure, &shrink->report.after) >= 0) return false;
  digest_t program = program_digest(shrink, &candidate->program);
  digest_t digest = case_digest(candidate, &program);
  if (g_hash_table_contains(shrink->tried, &digest)) return false;
  if (!pay_for_program(shrink, &program)) return false;
  add_digest(shrink->tried, &digest);
  if (!decide(shrink, candidate)) return false;
  keep(shrink, candidate, &measure);
  shrink->report.accepted++;
  if (shrink->options->on_accepted != NULL) {
    shrink->options->on_accepted(shrink->options->hook_context, &shrink->best, &shrink->report);
  }
  return true;
}

rng_t shrink_rng(const shrink_t *shrink, const program_t *program, uint64_t salt) {
  GString *text = g_string_new(NULL);
  program_print(program, text);
  digest_t digest = digest_of(text->str, text->len);
  g_string_free(text, TRUE);
  uint64_t seed = shrink->options->seed;
  seed = rng_splitmix(&seed) ^ digest.low;
  return rng_make(rng_splitmix(&seed) ^ salt);
}

bool shrink_try_shape(shrink_t *shrink, case_t *candidate, bool is_fresh_too) {
  static const gen_regime_t regimes[FRESH_DATA] = {REGIME_small_integers, REGIME_uniform,
                                                   REGIME_edges,          REGIME_cancelling,
                                                   REGIME_small_integers, REGIME_wide};
  if (shrink->broken != NULL) return shrink_try(shrink, candidate);
  if (!shrink_admits(shrink, &candidate->program)) return false;
  rng_t rng = shrink_rng(shrink, &candidate->program, 0);
  gen_settle(&rng, candidate);
  if (shrink_try(shrink, candidate)) return true;
  for (int i = 0; i < FRESH_DATA && is_fresh_too && !shrink_is_over(shrink); i++) {
    gen_data_in_regime(&rng, regimes[i], candidate);
    gen_settle(&rng, candidate);
    if (shrink_try(shrink, candidate)) return true;
  }
  return false;
}

/* ---- Operands that the op settles ------------------------------------------------------------ */

static void fill(case_t *instance, int byte) {
  for (uint32_t i = 0; i < instance->program.operand_count; i++) {
    tensor_t *operand = &instance->operands[i];
    memset(operand->data, byte, type_bytes(&operand->type));
    clamp_stored(operand);
  }
}

uint32_t shrink_settled_operands(const program_t *program) {
  uint32_t settled = 0;
  if (program->op->settle_operands == NULL) return settled;
  arena_t arena;
  arena_init(&arena);
  case_t instance = case_make(&arena, program);
  for (int byte = 0; byte < 2; byte++) { /* Bytes that are in the range of every element type. */
    fill(&instance, byte);
    case_t before = case_copy(&arena, &instance);
    rng_t rng = rng_make(1);
    gen_settle(&rng, &instance);
    for (uint32_t i = 0; i < program->operand_count; i++) {
      size_t bytes = type_bytes(&program->operands[i]);
      bool is_same = memcmp(before.operands[i].data, instance.operands[i].data, bytes) == 0;
      if (!is_same) settled |= 1u << i;
    }
  }
  arena_deinit(&arena);
  return settled;
}

/* ---- Delta debugging ------------------------------------------------------------------------- */

/* Tries what is left, with its context. */
typedef struct keeper {
  shrink_keep_t *keep_list;
  void *context;
} keeper_t;

/* Tries entries begin .. end of 0 .. count-1 alone, or all but these. */
static bool try_block(size_t count, size_t begin, size_t end, bool is_kept, const keeper_t *keeper,
                      size_t *out_count) {
  size_t *kept = g_new(size_t, count);
  size_t kept_count = 0;
  for (size_t i = 0; i < count; i++) {
    bool is_inside = i >= begin && i < end;
    if (is_inside == is_kept) kept[kept_count++] = i;
  }
  bool is_taken = keeper->keep_list(keeper->context, kept, kept_count);
  g_free(kept);
  if (is_taken) *out_count = kept_count;
  return is_taken;
}

/* Tries each of `blocks` blocks alone, then each left out. */
static bool try_blocks(shrink_t *shrink, size_t count, size_t count_min, size_t blocks,
                       const keeper_t *keeper, size_t *out_count) {
  for (int pass = 0; pass < (blocks > 2 ? 2 : 1); pass++) {
    for (size_t block = 0; block < blocks && !shrink_is_over(shrink); block++) {
      size_t begin = count * block / blocks;
      size_t end = count * (block + 1) / blocks;
      size_t left = pass == 0 ? end - begin : count - (end - begin);
      if (left < count_min || left == count) continue;
      if (try_block(count, begin, end, pass == 0, keeper, out_count)) return true;
    }
  }
  return false;
}

bool shrink_leave_out(shrink_t *shrink, size_t count, size_t count_min, size_t blocks_max,
                      shrink_keep_t *keep_list, void *context) {
  const keeper_t keeper = {.keep_list = keep_list, .context = context};
  size_t first = count;
  /* Often one entry will do. */
  if (count > count_min && count_min <= 1 && count > 2) {
    if (try_block(count, 0, MAX(count_min, 1), true, &keeper, &count)) return true;
    if (try_block(count, count - 1, count, true, &keeper, &count)) return true;
  }
  size_t blocks = 2;
  while (count > count_min && blocks <= MIN(count, blocks_max) && !shrink_is_over(shrink)) {
    if (try_blocks(shrink, count, count_min, blocks, &keeper, &count)) {
      blocks = 2;
    } else if (blocks == MIN(count, blocks_max)) {
      break;
    } else {
      blocks = MIN(2 * blocks, MIN(count, blocks_max));
    }
  }
  return count < first;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Operands become fewer and smaller with the steps that take them. */
static bool shrink_module_once(shrink_t *shrink) {
  bool is_changed = shrink_modules(shrink);
  is_changed |= shrink_module_sizes(shrink);
  is_changed |= shrink_values(shrink);
  return is_changed;
}

static bool shrink_once(shrink_t *shrink) {
  bool is_module = shrink->broken == NULL && program_is_module(&shrink->best.program);
  if (is_module) return shrink_module_once(shrink);
  axes_t axes;
  bool has_axes = shrink->broken == NULL && axes_of(&shrink->best.program, &axes);
  bool is_changed = has_axes ? shrink_axes(shrink) : shrink_shapes(shrink);
  is_changed |= shrink_redraw(shrink);
  /* Axes are lowered one at a time; what needs two of them equal is left to this. */
  if (!has_axes || !is_changed) is_changed |= shrink_sizes(shrink);
  is_changed |= shrink_attributes(shrink);
  is_changed |= shrink_quantizations(shrink);
  is_changed |= shrink_values(shrink);
  return is_changed;
}

static void begin(shrink_t *shrink, const shrink_options_t *options, const case_t *start) {
  *shrink = (shrink_t){.options = options,
                       .broken = program_broken(&start->program),
                       .label = g_string_new(NULL),
                       .text = g_string_new(NULL),
                       .tried = new_set(),
                       .programs = new_set()};
  arena_init(&shrink->arenas[0]);
  arena_init(&shrink->arenas[1]);
  arena_init(&shrink->scratch);
  print_label(&start->program, shrink->label);
  shrink_measure_t measure = shrink_measure(start, shrink->broken != NULL);
  shrink->report.before = measure;
  keep(shrink, start, &measure);
  digest_t program = program_digest(shrink, &start->program);
  add_digest(shrink->programs, &program);
}

static void end(shrink_t *shrink) {
  arena_deinit(&shrink->arenas[0]);
  arena_deinit(&shrink->arenas[1]);
  arena_deinit(&shrink->scratch);
  g_string_free(shrink->label, TRUE);
  g_string_free(shrink->text, TRUE);
  g_hash_table_destroy(shrink->tried);
  g_hash_table_destroy(shrink->programs);
}

status_t shrink_case(const shrink_options_t *options, const case_t *start, arena_t *arena,
                     case_t *out_case, shrink_report_t *out_report, failure_t *error) {
  shrink_t shrink;
  begin(&shrink, options, start);
  shrink.report.is_reproduced = decide(&shrink, start);
  bool is_changed = shrink.report.is_reproduced;
  while (is_changed && !shrink_is_over(&shrink)) {
    shrink.has_program_left_out = false;
    is_changed = shrink_once(&shrink);
  }
  shrink.report.is_complete = shrink.report.is_reproduced && !is_changed &&
                              !shrink_is_over(&shrink) && !shrink.has_program_left_out;
  *out_case = case_copy(arena, &shrink.best);
  *out_report = shrink.report;
  status_t status = shrink.status;
  if (status != STATUS_OK && error != NULL) *error = shrink.error;
  end(&shrink);
  return status;
}
