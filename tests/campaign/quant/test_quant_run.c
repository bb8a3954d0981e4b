/* SPDX-License-Identifier: Apache-2.0 */
/* Exported graphs on executors: models conform in every form and keep to the certified error; a
 * planted fault is found under the name of its kernel; the audit between oracles and enclosures
 * fires.  Regions that are run as one: kernels that fuse in a permitted way are silent, and faults
 * of fusing show. */
#include <math.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/quant/check/draw_graph.h"
#include "harness/quant/propagate/propagate.h"
#include "harness/quant_run/measurement.h"

enum { GRAPHS = 60 };

typedef struct bench {
  executor_t *executor;
  session_t *session;
  contract_t contract;
  bool runs_wholes; /* Regions as one program, ... */
  bool compares;    /* ... held against their steps. */
  quant_target_t table;
  rng_t rng;
  arena_t tables; /* Of the table. */
  arena_t arena;  /* Of one graph. */
} bench_t;

static void bench_open_under(bench_t *bench, const char *name, const char *table,
                             const char *contract) {
  *bench = (bench_t){.rng = rng_make(11)};
  arena_init(&bench->tables);
  arena_init(&bench->arena);
  failure_t error = {0};
  const executor_options_t options = {.find_builtin = builtin_find};
  g_assert_cmpint(contract_parse(str_from(contract), &bench->contract, &error), ==, STATUS_OK);
  g_assert_cmpint(executor_open(name, &options, &bench->executor, &error), ==, STATUS_OK);
  const session_options_t session = {.executors = &bench->executor,
                                     .executor_count = 1,
                                     .contract = bench->contract,
                                     .stream = {.gen = gen_options_default(), .seed = 1}};
  g_assert_cmpint(session_open(&session, &bench->session, &error), ==, STATUS_OK);
  const char *text = quant_target_text(str_from(table));
  g_assert_cmpint(quant_target_parse(str_from(text), &bench->tables, &bench->table, &error), ==,
                  STATUS_OK);
}

static void bench_open(bench_t *bench, const char *name, const char *table) {
  bench_open_under(bench, name, table, "backend");
}

static void bench_close(bench_t *bench) {
  failure_t error = {0};
  g_assert_cmpint(session_close(bench->session, 0, &error), ==, STATUS_OK);
  executor_close(bench->executor);
  arena_deinit(&bench->arena);
  arena_deinit(&bench->tables);
}

/* A random graph, quantized; it lives in bench->arena. */
static void draw(bench_t *bench, quant_graph_t *out_quantized) {
  quant_graph_t *graph = arena_alloc(&bench->arena, sizeof *graph);
  quant_propagation_t *propagation = arena_alloc(&bench->arena, sizeof *propagation);
  failure_t error = {0};
  g_assert_cmpint(quant_draw_graph(&bench->rng, 5, &bench->arena, graph, &error), ==, STATUS_OK);
  g_assert_cmpint(
      quant_propagate(graph, &bench->table, QUANT_FAULT_none, &bench->arena, propagation, &error),
      ==, STATUS_OK);
  g_assert_cmpint(
      quant_materialize(propagation, QUANT_FAULT_none, &bench->arena, out_quantized, &error), ==,
      STATUS_OK);
}

/* Runs one form; false if the graph has it not. */
static bool run_lowering(bench_t *bench, const quant_graph_t *quantized, quant_lowering_t form,
                         const tensor_t *inputs, quant_steps_t *out_steps,
                         quant_enclosure_t *out_enclosure, quant_run_t *out_run) {
  failure_t error = {0};
  if (quant_export(quantized, form, &bench->arena, out_steps, &error) != STATUS_OK) return false;
  const quant_whole_t *wholes =
      bench->runs_wholes ? quant_find_wholes(out_steps, &bench->arena) : NULL;
  const quant_enclosing_t what = {.steps = out_steps,
                                  .wholes = bench->compares ? NULL : wholes,
                                  .contract = &bench->contract,
                                  .inputs = inputs};
  status_t status = quant_enclose_wholes(&what, &bench->arena, out_enclosure, &error);
  g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
  const quant_run_request_t request = {.steps = out_steps,
                                       .table = bench->table.name,
                                       .enclosure = out_enclosure,
                                       .inputs = inputs,
                                       .session = bench->session,
                                       .wholes = wholes,
                                       .compares = bench->compares};
  status = quant_run(&request, &bench->arena, out_run, &error);
  g_assert_cmpstr(status == STATUS_OK ? "" : error.text, ==, "");
  return true;
}

static void test_models_conform(gconstpointer data) {
  const char *const *names = data;
  bench_t bench;
  bench_open(&bench, names[0], names[1]);
  size_t finite = 0;
  for (int i = 0; i < GRAPHS; i++) {
    arena_reset(&bench.arena);
    quant_graph_t quantized;
    draw(&bench, &quantized);
    const tensor_t *inputs = quant_draw_inputs(&bench.rng, &quantized, true, &bench.arena);
    for (int form = 0; form < QUANT_LOWERING_COUNT; form++) {
      quant_steps_t steps;
      quant_enclosure_t enclosure;
      quant_run_t run;
      g_assert_true(run_lowering(&bench, &quantized, (quant_lowering_t)form, inputs, &steps,
                                 &enclosure, &run));
      g_assert_cmpuint(run.outcomes[OUTCOME_diverges], ==, 0);
      g_assert_cmpuint(run.outcomes[OUTCOME_failed], ==, 0);
      for (uint32_t k = 0; k < quantized.output_count; k++) {
        uint32_t tensor = steps.outputs[k];
        quant_error_t error = quant_error_of(&steps, &enclosure, tensor, &run.tensors[tensor]);
        g_assert_cmpuint(error.outside, ==, 0);
        g_assert_cmpfloat(error.observed, <=, error.certified);
        finite += isfinite(error.certified) != 0;
      }
    }
  }
  g_assert_cmpuint(finite, >=, GRAPHS); /* The certificate says something. */
  bench_close(&bench);
}

/* Found, stored under quant.KERNEL and TABLE/FORM, with a reproducer of the step. */
static void test_fault_is_found(void) {
  bench_t bench;
  bench_open(&bench, "canary:quantized_unclamped", "tflite_int8");
  size_t beyond = 0;
  for (int i = 0; i < GRAPHS; i++) {
    arena_reset(&bench.arena);
    quant_graph_t quantized;
    draw(&bench, &quantized);
    const tensor_t *inputs = quant_draw_inputs(&bench.rng, &quantized, true, &bench.arena);
    quant_steps_t steps;
    quant_enclosure_t enclosure;
    quant_run_t run;
    if (!run_lowering(&bench, &quantized, QUANT_LOWERING_fixed, inputs, &steps, &enclosure, &run))
      continue;
    for (uint32_t k = 0; k < quantized.output_count; k++) {
      uint32_t tensor = steps.outputs[k];
      quant_error_t error = quant_error_of(&steps, &enclosure, tensor, &run.tensors[tensor]);
      beyond += error.outside > 0;
      if (error.observed > error.certified) g_assert_cmpuint(error.outside, >, 0);
      if (error.outside > 0) g_assert_cmpuint(run.outcomes[OUTCOME_diverges], >, 0);
    }
  }
  g_assert_cmpuint(beyond, >, 0);
  g_assert_cmpuint(session_finding_count(bench.session), >, 0);
  const finding_t *finding = session_finding(bench.session, 0);
  g_assert_true(g_str_has_prefix(finding->label.op, "quant."));
  g_assert_cmpstr(finding->label.algorithm, ==, "tflite_int8/fixed");
  g_assert_true(g_str_has_prefix(finding->case_line, "stablehlo."));
  bench_close(&bench);
}

/* A fault that is planted in an executor, and within how many graphs it must show. */
typedef struct planted {
  const char *executor;
  int graphs;
} planted_t;

static const planted_t planted[] = {
#define QUANT_CANARY(name, graphs) {"canary:" #name, graphs},
#include "generated/all_quant_canaries.def"
#include "tests/campaign/quant/quant_canaries.def"
#undef QUANT_CANARY
};

/* Whether one of the forms of a graph shows the fault. */
static bool shows_fault(bench_t *bench) {
  quant_graph_t quantized;
  draw(bench, &quantized);
  const tensor_t *inputs = quant_draw_inputs(&bench->rng, &quantized, true, &bench->arena);
  for (int form = 0; form < QUANT_LOWERING_COUNT; form++) {
    quant_steps_t steps;
    quant_enclosure_t enclosure;
    quant_run_t run;
    if (!run_lowering(bench, &quantized, (quant_lowering_t)form, inputs, &steps, &enclosure,
                      &run)) {
      continue;
    }
    if (run.outcomes[OUTCOME_diverges] > 0) return true;
  }
  return false;
}

static void test_fault_shows(gconstpointer data) {
  const planted_t *fault = data;
  bench_t bench;
  bench_open(&bench, fault->executor, "tflite_int8");
  int graphs = 0;
  for (bool is_found = false; !is_found && graphs < fault->graphs; graphs++) {
    arena_reset(&bench.arena);
    is_found = shows_fault(&bench);
  }
  g_test_message("%s shows in %d graphs", fault->executor, graphs);
  g_assert_cmpuint(session_finding_count(bench.session), >, 0);
  bench_close(&bench);
}

/* ---- Regions as one -------------------------------------------------------------------------- */

enum { WHOLE_GRAPHS = 40 };

/* All forms of a graph; adds what came of its regions. */
static void run_wholes(bench_t *bench, quant_whole_counts_t *inout_counts) {
  arena_reset(&bench->arena);
  quant_graph_t quantized;
  draw(bench, &quantized);
  const tensor_t *inputs = quant_draw_inputs(&bench->rng, &quantized, true, &bench->arena);
  for (int form = 0; form < QUANT_LOWERING_COUNT; form++) {
    quant_steps_t steps;
    quant_enclosure_t enclosure;
    quant_run_t run;
    bool has_form =
        run_lowering(bench, &quantized, (quant_lowering_t)form, inputs, &steps, &enclosure, &run);
    if (!has_form) continue;
    quant_whole_counts_add(&run.whole, inout_counts);
    for (uint32_t k = 0; k < quantized.output_count && run.unfinished == QUANT_NONE; k++) {
      uint32_t tensor = steps.outputs[k];
      quant_error_t error = quant_error_of(&steps, &enclosure, tensor, &run.tensors[tensor]);
      if (error.outside > 0) g_assert_cmpuint(run.whole.outcomes[OUTCOME_diverges], >, 0);
    }
  }
}

/* Kernels that conform, however they fuse, and whether their bits are those of the steps. */
static const struct {
  const char *executor;
  const char *contract;
  bool are_same;
} fusing[] = {
#define WHOLE_CANARY(...)
#define WHOLE_MODEL(...) {__VA_ARGS__},
#include "generated/all_whole_canaries.def"
#undef WHOLE_MODEL
#undef WHOLE_CANARY
};

static void test_wholes_conform(gconstpointer data) {
  size_t row = GPOINTER_TO_SIZE(data);
  for (int compares = 0; compares < 2; compares++) {
    bench_t bench;
    bench_open_under(&bench, fusing[row].executor, "onednn", fusing[row].contract);
    bench.runs_wholes = true;
    bench.compares = compares != 0;
    quant_whole_counts_t counts = {.same = 0};
    for (int i = 0; i < WHOLE_GRAPHS; i++) run_wholes(&bench, &counts);
    g_assert_cmpuint(counts.outcomes[OUTCOME_conforms], >, WHOLE_GRAPHS);
    g_assert_cmpuint(counts.outcomes[OUTCOME_diverges], ==, 0);
    g_assert_cmpuint(counts.outcomes[OUTCOME_failed], ==, 0);
    g_assert_cmpuint(counts.outcomes[OUTCOME_refused], ==, 0);
    g_assert_cmpuint(counts.differ, ==, counts.both_inside);
    if (compares != 0) g_assert_true((counts.differ == 0) == fusing[row].are_same);
    bench_close(&bench);
  }
}

/* Faults of fusing, and within how many graphs of three forms they show. */
static const struct {
  const char *executor;
  const char *contract;
  int graphs;
} fused_faults[] = {
#define WHOLE_MODEL(...)
#define WHOLE_CANARY(...) {__VA_ARGS__},
#include "generated/all_whole_canaries.def"
#undef WHOLE_CANARY
#undef WHOLE_MODEL
};

static void test_fused_fault_shows(gconstpointer data) {
  size_t row = GPOINTER_TO_SIZE(data);
  bench_t bench;
  bench_open_under(&bench, fused_faults[row].executor, "tflite_int8", fused_faults[row].contract);
  bench.runs_wholes = bench.compares = true;
  quant_whole_counts_t counts = {.same = 0};
  int graphs = 0;
  while (counts.whole_outside == 0 && graphs++ < fused_faults[row].graphs) {
    run_wholes(&bench, &counts);
  }
  g_test_message("%s shows in %d graphs", fused_faults[row].executor, graphs);
  g_assert_cmpuint(counts.whole_outside, >, 0);
  g_assert_cmpuint(counts.steps_outside, ==, 0);
  const finding_t *finding = session_finding(bench.session, 0);
  g_assert_true(g_str_has_prefix(finding->label.op, "quant."));
  g_assert_true(g_str_has_suffix(finding->label.algorithm, "/whole"));
  g_assert_true(g_str_has_prefix(finding->case_line, "module steps={"));
  bench_close(&bench);
}

/* An enclosure that does not hold what the oracle accepts stops the run. */
static void test_audit_fires(void) {
  bench_t bench;
  bench_open(&bench, "model:sequential", "tflite_int8");
  quant_graph_t quantized;
  draw(&bench, &quantized);
  const tensor_t *inputs = quant_draw_inputs(&bench.rng, &quantized, true, &bench.arena);
  quant_steps_t steps;
  quant_enclosure_t enclosure;
  quant_run_t run;
  g_assert_true(
      run_lowering(&bench, &quantized, QUANT_LOWERING_float, inputs, &steps, &enclosure, &run));
  uint32_t tensor = steps.steps[steps.step_count - 1].results[0];
  box_t *box = &enclosure.tensors[tensor][0];
  *box = box_point(box->high + 1);
  const quant_run_request_t request = {.steps = &steps,
                                       .table = bench.table.name,
                                       .enclosure = &enclosure,
                                       .inputs = inputs,
                                       .session = bench.session};
  failure_t error = {0};
  g_assert_cmpint(quant_run(&request, &bench.arena, &run, &error), ==, STATUS_INVALID);
  g_assert_nonnull(strstr(error.text, "lies outside the enclosure"));
  bench_close(&bench);
}

/* The same seed gives the same inputs; they lie in the range that the graph tells, or little
 * beyond.
 */
static void test_inputs(void) {
  static const char text[] =
      "graph g\n"
      "input x f32[1,64] !quant.calibrated<f32<-2:6>>\n"
      "region r relu\n  in x\n  out y f32[1,64]\n  constant zero f32[1,64] = 0x"
      "%s\n  op z = stablehlo.maximum(x, zero) f32[1,64] f32[1,64] -> f32[1,64]\n"
      "  return z\nend\noutput y\n";
  char zeros[8 * 64 + 1];
  memset(zeros, '0', sizeof zeros - 1);
  zeros[sizeof zeros - 1] = '\0';
  char *whole = g_strdup_printf(text, zeros);
  arena_t arena;
  arena_init(&arena);
  quant_graph_t graph;
  failure_t error = {0};
  g_assert_cmpint(quant_graph_parse(str_from(whole), &arena, &graph, &error), ==, STATUS_OK);
  rng_t rng = rng_make(3), again = rng_make(3);
  const tensor_t *a = quant_draw_inputs(&rng, &graph, true, &arena);
  const tensor_t *b = quant_draw_inputs(&again, &graph, true, &arena);
  g_assert_true(memcmp(a->data, b->data, type_bytes(&a->type)) == 0);
  for (size_t i = 0; i < 64; i++) {
    double number = quant_number(&a->type, a, i);
    g_assert_cmpfloat(number, >=, -2);
    g_assert_cmpfloat(number, <=, 7);
  }
  arena_deinit(&arena);
  g_free(whole);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const char *const models[][2] = {{"model:sequential", "tflite_int8"},
                                          {"model:lanes8+fma", "onednn"},
                                          {"model:shuffled+acc=f64", "onnxruntime"}};
  for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
    char *path = g_strdup_printf("/quant_run/conforms/%s", models[i][0]);
    g_test_add_data_func(path, models[i], test_models_conform);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(planted); i++) {
    char *path = g_strdup_printf("/quant_run/shows/%s", planted[i].executor);
    g_test_add_data_func(path, &planted[i], test_fault_shows);
    g_free(path);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(fusing); i++) {
    g_autofree char *path = g_strdup_printf("/quant_run/fused/%s", fusing[i].executor);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_wholes_conform);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(fused_faults); i++) {
    g_autofree char *path = g_strdup_printf("/quant_run/fused/%s", fused_faults[i].executor);
    g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_fused_fault_shows);
  }
  g_test_add_func("/quant_run/fault", test_fault_is_found);
  g_test_add_func("/quant_run/audit", test_audit_fires);
  g_test_add_func("/quant_run/inputs", test_inputs);
  return g_test_run();
}
