/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing loop of quantization: draws a graph and a target description from a seed per pair,
 * checks all properties, and shrinks the first violation of each. */
#include "harness/quant/check/fuzz.h"

#include "harness/quant/check/draw_graph.h"
#include "harness/quant/check/draw_target.h"

enum { TABLES_MAX = 16 };

/* The tables that come with Assay. */
typedef struct known_targets {
  uint32_t count;
  quant_target_t tables[TABLES_MAX];
} known_targets_t;

static status_t read_known(arena_t *arena, known_targets_t *out_known, failure_t *error) {
  const char *const *names = quant_target_names();
  out_known->count = 0;
  for (; names[out_known->count] != NULL && out_known->count < TABLES_MAX; out_known->count++) {
    const char *text = quant_target_text(str_from(names[out_known->count]));
    STATUS_TRY(
        quant_target_parse(str_from(text), arena, &out_known->tables[out_known->count], error));
  }
  return STATUS_OK;
}

/* Each pair has random numbers of its own, so that one can be drawn again without the others. */
static rng_t rng_of(uint64_t seed, uint64_t number) {
  uint64_t state = seed;
  state = rng_splitmix(&state) ^ number;
  return rng_make(rng_splitmix(&state));
}

static status_t draw_case(const quant_fuzz_options_t *options, const known_targets_t *known,
                          uint64_t number, arena_t *arena, quant_fuzz_case_t *out_case,
                          failure_t *error) {
  rng_t rng = rng_of(options->seed, number);
  out_case->seed = rng_bits(&rng);
  out_case->fault = options->fault;
  STATUS_TRY(quant_draw_graph(&rng, options->regions_max, arena, &out_case->graph, error));
  if (options->table != NULL) {
    out_case->table = *options->table;
  } else if (known->count > 0 && rng_one_in(&rng, 2)) {
    out_case->table = known->tables[rng_below(&rng, known->count)];
  } else {
    STATUS_TRY(quant_draw_target(&rng, arena, &out_case->table, error));
  }
  return STATUS_OK;
}

static const char *keep_text(GString *text, arena_t *arena) {
  const char *kept = arena_copy_text(arena, text->str, text->len);
  g_string_free(text, TRUE);
  return kept;
}

quant_trial_input_t quant_fuzz_input(const quant_fuzz_case_t *from) {
  return (quant_trial_input_t){
      .graph = &from->graph, .table = &from->table, .fault = from->fault, .seed = from->seed};
}

/* Makes a violation small and writes it down. */
static quant_fuzz_finding_t make_finding(const quant_fuzz_case_t *found, uint64_t number,
                                         arena_t *scratch, arena_t *arena) {
  quant_fuzz_case_t small = quant_fuzz_shrink(found, scratch);
  failure_t words = {.text = ""};
  const quant_trial_input_t input = quant_fuzz_input(&small);
  quant_property_check_one(&input, small.property, scratch, &words);
  GString *graph = g_string_new(NULL), *table = g_string_new(NULL);
  quant_graph_print(&small.graph, graph);
  quant_target_print(&small.table, table);
  return (quant_fuzz_finding_t){.number = number,
                                .words = arena_copy_text(arena, words.text, strlen(words.text)),
                                .graph = keep_text(graph, arena),
                                .table = keep_text(table, arena)};
}

static void check_case(quant_fuzz_case_t *drawn, uint64_t number, arena_t *scratch, arena_t *arena,
                       quant_fuzz_result_t *inout_result) {
  quant_property_result_t results[QUANT_PROPERTY_COUNT];
  quant_trial_counts_t counts;
  const quant_trial_input_t input = quant_fuzz_input(drawn);
  (void)quant_property_check_all(&input, scratch, results, &counts);
  inout_result->regions += drawn->graph.region_count;
  inout_result->visits += counts.visits;
  inout_result->rescales += counts.rescales;
  inout_result->refused += counts.refused;
  if (counts.is_fully_quantized) inout_result->fully_quantized++;
  for (uint32_t i = 0; i < QUANT_PROPERTY_COUNT; i++) {
    inout_result->counts[i].outcomes[results[i].outcome]++;
    bool is_first = results[i].outcome == QUANT_VIOLATED && inout_result->findings[i].words == NULL;
    if (!is_first) continue;
    drawn->property = (quant_property_id_t)i;
    inout_result->findings[i] = make_finding(drawn, number, scratch, arena);
  }
}

status_t quant_fuzz(const quant_fuzz_options_t *options, arena_t *arena,
                    quant_fuzz_result_t *out_result, failure_t *error) {
  known_targets_t known;
  STATUS_TRY(read_known(arena, &known, error));
  arena_t scratch;
  arena_init(&scratch);
  status_t status = STATUS_OK;
  quant_fuzz_result_t result = {.regions = 0};
  for (uint64_t number = 0; number < options->count && status == STATUS_OK; number++) {
    if (options->stop != NULL && *options->stop != 0) break;
    quant_fuzz_case_t drawn;
    status = draw_case(options, &known, number, &scratch, &drawn, error);
    if (status == STATUS_OK) {
      check_case(&drawn, number, &scratch, arena, &result);
      result.pairs++;
    }
    if (status == STATUS_OK && options->on_pair != NULL) {
      status = options->on_pair(options->context, number, &drawn.graph, &drawn.table, error);
    }
    arena_reset(&scratch);
  }
  arena_deinit(&scratch);
  if (status == STATUS_OK) *out_result = result;
  return status;
}
