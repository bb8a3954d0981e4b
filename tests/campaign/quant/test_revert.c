/* SPDX-License-Identifier: Apache-2.0 */
/* Going back: a region's decision to quantize taken back leaves a model that is propagated,
 * exported and run as any other, and the certified error of its output is the least that parameters
 * leave (oracles/theory.md, T170). */
#include <math.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/fuse/fuse.h"
#include "harness/quant/graph/rebuild.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/propagate/propagate.h"
#include "harness/quant_run/quant_run.h"

#ifdef ASSAY_SANITIZE
enum { GRAPHS = 20 };
#else
enum { GRAPHS = 500 };
#endif

typedef struct trial {
  quant_graph_t quantized;
  quant_graph_t reverted;
  uint32_t region; /* Of `quantized`. */
} trial_t;

static void must(status_t status, const failure_t *error) {
  if (status != STATUS_OK) g_error("%s", error->text);
}

static void quantize(const quant_graph_t *graph, const quant_target_t *table, arena_t *arena,
                     quant_graph_t *out_graph) {
  quant_propagation_t *propagation = arena_alloc(arena, sizeof *propagation);
  failure_t error = {0};
  must(quant_propagate(graph, table, QUANT_FAULT_none, arena, propagation, &error), &error);
  must(quant_materialize(propagation, QUANT_FAULT_none, arena, out_graph, &error), &error);
}

static void revert(const quant_graph_t *graph, const char *name, arena_t *arena,
                   quant_graph_t *out_graph) {
  bool *is_wanted = arena_alloc_zeroed(arena, graph->region_count + 1);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    is_wanted[r] = !region->is_op && strcmp(region->name, name) == 0;
  }
  failure_t error = {0};
  g_autoptr(GString) notes = g_string_new(NULL);
  must(quant_revert(graph, is_wanted, arena, out_graph, notes, &error), &error);
}

static bool is_uniform(const quant_graph_t *graph, const quant_port_t *port) {
  const quant_value_t *value = &graph->values[port->value];
  return port->spec.kind == QUANT_SPEC_UNIFORM &&
         (value->constant != NULL || value->spec.kind == QUANT_SPEC_UNIFORM);
}

/* A model of one region and one output, all of whose ports are quantized, per tensor but for
 * constants; false if none was drawn. */
static bool draw(rng_t *rng, const quant_target_t *table, arena_t *arena, trial_t *out_trial) {
  quant_graph_t *graph = arena_alloc(arena, sizeof *graph);
  failure_t error = {0};
  must(quant_draw_graph(rng, 1, arena, graph, &error), &error);
  if (graph->region_count != 1 || graph->output_count != 1 ||
      graph->values[0].type.element != element_named("f32")) {
    return false;
  }
  quantize(graph, table, arena, &out_trial->quantized);
  const quant_graph_t *quantized = &out_trial->quantized;
  if (quantized->region_count != 1) return false; /* With rescales. */
  const quant_region_t *region = &quantized->regions[0];
  for (uint32_t p = 0; p < quant_port_count(region); p++) {
    if (!is_uniform(quantized, &region->ports[p])) return false;
  }
  if (quantized->values[quantized->outputs[0]].spec.uniform->axis != -1) return false;
  revert(quantized, region->name, arena, &out_trial->reverted);
  return true;
}

/* Inputs that their parameters stand for, to the rounding of their type. */
static tensor_t *draw_inputs(rng_t *rng, const quant_graph_t *graph, arena_t *arena) {
  tensor_t *inputs = quant_draw_inputs(rng, graph, false, arena);
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const quant_value_t *value = &graph->values[graph->inputs[i]];
    if (value->spec.kind != QUANT_SPEC_UNIFORM) continue;
    const type_t quantized = quant_spec_apply(&value->spec, &value->type);
    inputs[i] =
        *quant_tensor_dequantize(quant_tensor_quantize(&inputs[i], &quantized, arena), arena);
  }
  return inputs;
}

/* The certified error of the tensor of a form that stands for a value. */
static double certified(const quant_steps_t *steps, const quant_enclosure_t *enclosure,
                        uint32_t tensor) {
  return quant_error_of(steps, enclosure, tensor, NULL).certified;
}

static void enclose(const quant_graph_t *graph, quant_lowering_t form, const tensor_t *inputs,
                    arena_t *arena, quant_steps_t *out_steps, quant_enclosure_t *out_enclosure) {
  const contract_t contract = contract_backend();
  failure_t error = {0};
  must(quant_export(graph, form, arena, out_steps, &error), &error);
  must(quant_steps_check(out_steps, &error), &error);
  must(quant_enclose(out_steps, &contract, inputs, arena, out_enclosure, &error), &error);
}

/* d of T170: of what the ops in high precision make. */
static double find_error(const quant_steps_t *steps, const quant_enclosure_t *enclosure) {
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    int32_t value = steps->tensors[i].value;
    if (value == QUANT_NONE) continue;
    const char *name = steps->graph->values[value].name;
    if (g_str_has_suffix(name, ".float")) return certified(steps, enclosure, i);
  }
  g_error("no tensor stands for what was made in high precision");
}

/* e of T170, with the largest |v|. */
static double find_rounding(const quant_graph_t *graph, const quant_enclosure_t *enclosure,
                            double error) {
  const quant_value_t *output = &graph->values[graph->outputs[0]];
  const quantization_t *uniform = output->spec.uniform;
  double largest = 0;
  for (size_t k = 0; k < type_element_count(&output->type); k++) {
    const box_t *box = &enclosure->values[graph->outputs[0]][k];
    largest = fmax(largest, fmax(fabs(box->low), fabs(box->high)));
  }
  double zero_point = fabs((double)uniform->zero_points[0]) * uniform->scales[0];
  return 3 * 0x1p-24 * (largest + error + zero_point) * (1 + 0x1p-40);
}

typedef struct counts {
  uint32_t trials, better, worse;
} counts_t;

static void check_errors(const trial_t *trial, const tensor_t *inputs, arena_t *arena,
                         counts_t *inout) {
  for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
    quant_steps_t before, after;
    quant_enclosure_t was, is;
    enclose(&trial->quantized, form, inputs, arena, &before, &was);
    enclose(&trial->reverted, form, inputs, arena, &after, &is);
    double old = certified(&before, &was, before.outputs[0]);
    double new = certified(&after, &is, after.outputs[0]);
    double d = find_error(&after, &is), e = find_rounding(&trial->reverted, &is, d);
    if (!isfinite(d)) continue; /* An op without enclosure. */
    if (new > old + 2 * d + 2 * e) {
      g_error("%s: certified error %.9g, before %.9g, allowed %.9g more",
              trial->quantized.regions[0].kernel, new, old, 2 * d + 2 * e);
    }
    inout->trials++;
    inout->better += old > new + 2 * d + 2 * e;
    inout->worse += new > old;
  }
}

/* Propagating again changes nothing; nor does the order of declaration. */
static void check_stable(const trial_t *trial, const quant_target_t *table, rng_t *rng,
                         arena_t *arena) {
  quant_graph_t again, shuffled, reverted;
  quantize(&trial->reverted, table, arena, &again);
  g_assert_true(quant_graph_equal(&again, &trial->reverted));
  quant_parts_t parts = quant_parts_take(&trial->quantized, arena);
  quant_parts_shuffle(&parts, rng);
  failure_t error = {0};
  must(quant_parts_build(&parts, arena, &shuffled, NULL, NULL, &error), &error);
  revert(&shuffled, trial->quantized.regions[0].name, arena, &reverted);
  g_assert_true(quant_graph_equal(&reverted, &trial->reverted));
  g_autoptr(GString) text = g_string_new(NULL);
  quant_graph_print(&reverted, text);
  quant_graph_t read;
  must(quant_graph_parse((str_t){text->str, text->len}, arena, &read, &error), &error);
  g_assert_true(quant_graph_equal(&reverted, &read));
}

static void test_errors(void) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(23);
  counts_t counts = {0};
  for (const char *const *name = quant_target_names(); *name != NULL; name++) {
    quant_target_t table;
    failure_t error = {0};
    const char *text = quant_target_text(str_from(*name));
    must(quant_target_parse(str_from(text), &tables, &table, &error), &error);
    for (int done = 0; done < GRAPHS;) {
      arena_reset(&arena);
      trial_t trial;
      if (!draw(&rng, &table, &arena, &trial)) continue;
      done++;
      check_stable(&trial, &table, &rng, &arena);
      check_errors(&trial, draw_inputs(&rng, &trial.quantized, &arena), &arena, &counts);
    }
  }
  g_test_message("%u outputs: %u certified better by more than roundings, %u worse at all",
                 counts.trials, counts.better, counts.worse);
  /* What was quantized breaks the bound, so that it can be broken. */
  g_assert_cmpuint(counts.better, >, 0);
  arena_deinit(&arena);
  arena_deinit(&tables);
}

/* ---- Whole models ---------------------------------------------------------------------------- */

static bool is_quantized(const quant_region_t *region) {
  if (region->is_op || strcmp(region->kernel, QUANT_RESCALE_KERNEL) == 0) return false;
  for (uint32_t p = 0; p < quant_port_count(region); p++) {
    if (region->ports[p].spec.kind == QUANT_SPEC_UNIFORM) return true;
  }
  return false;
}

/* Reverts the regions of these names. */
static quant_graph_t revert_all(const quant_graph_t *graph, GHashTable *names, arena_t *arena) {
  bool *is_wanted = arena_alloc_zeroed(arena, graph->region_count + 1);
  for (uint32_t r = 0; r < graph->region_count; r++) {
    const quant_region_t *region = &graph->regions[r];
    is_wanted[r] = !region->is_op && g_hash_table_contains(names, region->name);
  }
  quant_graph_t reverted;
  failure_t error = {0};
  g_autoptr(GString) notes = g_string_new(NULL);
  must(quant_revert(graph, is_wanted, arena, &reverted, notes, &error), &error);
  return reverted;
}

/* Some regions of a drawn model, with calls, rescales and several outputs, are taken back: what is
 * left of it is as good a model. */
static uint32_t check_model(rng_t *rng, const quant_target_t *table, arena_t *arena) {
  quant_graph_t *graph = arena_alloc(arena, sizeof *graph);
  quant_graph_t quantized, again, shuffled, read;
  failure_t error = {0};
  must(quant_draw_graph(rng, 8, arena, graph, &error), &error);
  quantize(graph, table, arena, &quantized);
  g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
  for (uint32_t r = 0; r < quantized.region_count; r++) {
    const quant_region_t *region = &quantized.regions[r];
    if (!is_quantized(region) || rng_one_in(rng, 2)) continue;
    g_hash_table_add(names, (gpointer)(uintptr_t)region->name);
  }
  const quant_graph_t reverted = revert_all(&quantized, names, arena);
  quantize(&reverted, table, arena, &again);
  g_assert_true(quant_graph_equal(&again, &reverted));
  quant_parts_t parts = quant_parts_take(&quantized, arena);
  quant_parts_shuffle(&parts, rng);
  must(quant_parts_build(&parts, arena, &shuffled, NULL, NULL, &error), &error);
  const quant_graph_t other = revert_all(&shuffled, names, arena);
  g_assert_true(quant_graph_equal(&other, &reverted));
  g_autoptr(GString) text = g_string_new(NULL);
  quant_graph_print(&reverted, text);
  must(quant_graph_parse((str_t){text->str, text->len}, arena, &read, &error), &error);
  g_assert_true(quant_graph_equal(&read, &reverted));
  const tensor_t *inputs = quant_draw_inputs(rng, &reverted, true, arena);
  for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
    quant_steps_t steps;
    quant_enclosure_t enclosure;
    enclose(&reverted, form, inputs, arena, &steps, &enclosure);
  }
  return g_hash_table_size(names);
}

static void test_models(void) {
  arena_t tables, arena;
  arena_init(&tables);
  arena_init(&arena);
  rng_t rng = rng_make(29);
  uint32_t reverted = 0;
  for (const char *const *name = quant_target_names(); *name != NULL; name++) {
    quant_target_t table;
    failure_t error = {0};
    const char *text = quant_target_text(str_from(*name));
    must(quant_target_parse(str_from(text), &tables, &table, &error), &error);
    for (int i = 0; i < GRAPHS; i++) {
      reverted += check_model(&rng, &table, &arena);
      arena_reset(&arena);
    }
  }
  g_assert_cmpuint(reverted, >, GRAPHS);
  arena_deinit(&arena);
  arena_deinit(&tables);
}

/* ---- The block of the manual ----------------------------------------------------------------- */

static quant_graph_t read_block(arena_t *arena) {
  g_autofree char *text = NULL;
  gsize size = 0;
  if (!g_file_get_contents(ASSAY_SOURCE_DIR "/corpus/quant/separable_block.graph", &text, &size,
                           NULL)) {
    g_error("cannot read the block");
  }
  quant_graph_t graph;
  failure_t error = {0};
  char *kept = arena_copy_text(arena, text, size);
  must(quant_graph_parse((str_t){kept, size}, arena, &graph, &error), &error);
  return graph;
}

/* Certified error of a value, and what the plain model makes of the steps: all conforms. */
static double run_block(const quant_graph_t *graph, const char *name, session_t *session,
                        const tensor_t *inputs, arena_t *arena) {
  quant_steps_t steps;
  quant_enclosure_t enclosure;
  quant_run_t run;
  failure_t error = {0};
  enclose(graph, QUANT_LOWERING_fixed, inputs, arena, &steps, &enclosure);
  const quant_run_request_t request = {.steps = &steps,
                                       .table = "onednn",
                                       .enclosure = &enclosure,
                                       .inputs = inputs,
                                       .session = session};
  must(quant_run(&request, arena, &run, &error), &error);
  g_assert_cmpint(run.unfinished, ==, QUANT_NONE);
  g_assert_cmpuint(run.outcomes[OUTCOME_conforms], ==, steps.step_count);
  double largest = 0;
  for (uint32_t i = 0; i < steps.tensor_count; i++) {
    int32_t value = steps.tensors[i].value;
    if (value == QUANT_NONE || strcmp(graph->values[value].name, name) != 0) continue;
    const quant_error_t found = quant_error_of(&steps, &enclosure, i, &run.tensors[i]);
    g_assert_cmpuint(found.outside, ==, 0);
    largest = fmax(largest, found.certified);
  }
  return largest;
}

static void test_block(void) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  executor_t *executor;
  session_t *session;
  const executor_options_t options = {.find_builtin = builtin_find};
  must(executor_open("model:sequential", &options, &executor, &error), &error);
  const session_options_t chosen = {.executors = &executor,
                                    .executor_count = 1,
                                    .contract = contract_backend(),
                                    .stream = {.gen = gen_options_default(), .seed = 1}};
  must(session_open(&chosen, &session, &error), &error);
  quant_target_t table;
  must(quant_target_parse(str_from(quant_target_text(str_from("onednn"))), &arena, &table, &error),
       &error);
  quant_graph_t graph = read_block(&arena), quantized, reverted, again;
  quantize(&graph, &table, &arena, &quantized);
  revert(&quantized, "pointwise", &arena, &reverted);
  quantize(&reverted, &table, &arena, &again);
  g_assert_true(quant_graph_equal(&again, &reverted));
  rng_t rng = rng_make(3);
  double all_before = 0, all_after = 0;
  for (int i = 0; i < 10; i++) {
    const tensor_t *inputs = quant_draw_inputs(&rng, &quantized, false, &arena);
    double before = run_block(&quantized, "mixed", session, inputs, &arena);
    double after = run_block(&reverted, "mixed", session, inputs, &arena);
    g_test_message("mixed: certified %.6g, %.6g in high precision", before, after);
    all_before += before;
    all_after += after;
  }
  /* No theorem, as T170 is of a region by itself: here its inputs are off already, and for some
   * images what the weights were off by makes good for that (0.0057 becomes 0.0073). */
  g_assert_cmpfloat(all_after, <, all_before);
  must(session_close(session, 0, &error), &error);
  executor_close(executor);
  arena_deinit(&arena);
}

/* What is not quantized cannot go back. */
static void test_refused(void) {
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph = read_block(&arena), reverted;
  bool *is_wanted = arena_alloc_zeroed(&arena, graph.region_count);
  is_wanted[0] = true;
  failure_t error = {0};
  g_autoptr(GString) notes = g_string_new(NULL);
  g_assert_cmpint(quant_revert(&graph, is_wanted, &arena, &reverted, notes, &error), ==,
                  STATUS_INVALID);
  g_assert_cmpstr(error.text, ==,
                  "region depthwise (depthwise_conv_2d) is not quantized, so that there is nothing "
                  "to take back");
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/quant/revert/errors", test_errors);
  g_test_add_func("/quant/revert/models", test_models);
  g_test_add_func("/quant/revert/block", test_block);
  g_test_add_func("/quant/revert/refused", test_refused);
  return g_test_run();
}
