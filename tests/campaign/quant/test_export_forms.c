/* SPDX-License-Identifier: Apache-2.0 */
/* Exported graphs, run by the oracles' models: each form against the exact meaning of each region,
 * and so against each other; planted faults are seen; constants are quantized as the oracle does.
 */
#include "oracles/exact/quantum/quantum.h"
#include "tests/campaign/quant/step_run.h"
#include "tests/quant/export_graphs.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 60, QUANTIZED_VALUES = 20000 };
#else
enum { ROUNDS = 1500, QUANTIZED_VALUES = 500000 };
#endif

/* Every form's result is the exact real value of the region, divided by the scale, plus the zero
 * point, clamped, and rounded once: 1/2.  Beside that:
 *   integer: a multiplier is off by 2^-30 of itself, which is less than 2^-20 of results below
 *     2^10; larger ones are clamped whatever they are.  Aligned sums: 2^9 * 2^-(finer + 1), finer
 *     at least 29.  A bias is off by half a step of the accumulator: below 2^-10 with these scales.
 *   fixed: accumulators are off by 1/2 and what f32 rounds in sums of 12 products below 2^15, in
 *     all less than one of their steps, below 2^-9; the last quantize rounds three times in f32
 *     what is below 2^10: 2^-12.
 *   float: f32 rounds products, sums and the quantize: less than 2^-10 by the same numbers.
 *     softmax is below 1 and has 256 steps: 40 roundings and ulps of 2^-24 of it, 2^-10.
 * A rescale that is merged with what makes its operand is rounded once, clamped by both ranges. */
static const double ROUNDING = 0.5 + 0x1p-8;

/* Compares the results of all quantized regions; false if one is wrong. */
static bool check_run(const run_t *run, checked_t *inout_checked) {
  const quant_graph_t *graph = run->steps->graph;
  for (uint32_t i = 0; i < graph->region_count; i++) {
    const quant_region_t *region = &graph->regions[i];
    const quant_port_t *port = &region->ports[region->input_count], *seen = port;
    if (port->spec.kind != QUANT_SPEC_UNIFORM || find_tensor(run->steps, region->ports) < 0) {
      continue;
    }
    int32_t tensor = find_tensor(run->steps, port);
    if (tensor < 0) {
      const quant_use_t *use = &graph->values[port->value].uses[0];
      seen = &graph->regions[use->region].ports[1];
      tensor = find_tensor(run->steps, seen);
    }
    const tensor_t *exact = evaluate(run, region);
    exact += region->op_count == 0 ? 0 : region->returns[0];
    if (!is_close(exact, &run->data[tensor], port->spec.uniform, seen->spec.uniform, ROUNDING,
                  &inout_checked->inside)) {
      return false;
    }
    inout_checked->regions++;
  }
  return true;
}

typedef struct sample {
  const char *text;
  uint32_t regions;  /* That are compared in each run, ... */
  uint32_t merged;   /* ... less these in the integer form. */
  const char *first; /* A value made of the graph's inputs alone. */
} sample_t;
static const sample_t convolution_sample = {convolution_text, 2, 1, "y"};
static const sample_t mixed_sample = {mixed_text, 8, 0, "s"};

static void test_forms(gconstpointer data) {
  const sample_t *sample = data;
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  const quant_graph_t graph = parse(sample->text, &arena);
  for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
    const quant_steps_t steps = export(&graph, form, &arena);
    rng_t rng = rng_make(7 + form);
    checked_t checked = {0};
    for (int round = 0; round < ROUNDS; round++) {
      run_t run;
      run_drawn(&run, &steps, &rng, &scratch);
      run_steps(&run);
      g_assert_true(check_run(&run, &checked));
    }
    uint32_t regions = sample->regions - (form == QUANT_LOWERING_integer ? sample->merged : 0);
    g_assert_cmpuint(checked.regions, ==, regions * ROUNDS);
    g_assert_cmpuint(checked.inside, >, regions * ROUNDS);
  }
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

/* Storage integers of a value of quantized type. */
static const tensor_t *stored_value(const run_t *run, const char *name) {
  for (uint32_t i = 0; i < run->steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &run->steps->tensors[i];
    bool is_quantized = tensor->type.quantization != NULL;
    if (is_quantized && strcmp(tensor->name, name) == 0) return &run->data[i];
  }
  return NULL;
}

/* Two forms whose results are each within 1/2 + 2^-8 steps of the same exact number differ by one
 * step at most. */
static void test_agreement(gconstpointer data) {
  const sample_t *sample = data;
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  const quant_graph_t graph = parse(sample->text, &arena);
  quant_steps_t steps[QUANT_LOWERING_COUNT];
  uint32_t compared = 0;
  for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
    steps[form] = export(&graph, form, &arena);
  }
  for (uint64_t round = 0; round < ROUNDS; round++) {
    const tensor_t *first = NULL;
    arena_reset(&scratch);
    for (quant_lowering_t form = 0; form < QUANT_LOWERING_COUNT; form++) {
      rng_t rng = rng_make(round);
      run_t run = {.steps = &steps[form], .arena = &scratch};
      run.data = arena_alloc_zeroed(&scratch, steps[form].tensor_count * sizeof(tensor_t));
      draw_inputs(&steps[form], &rng, &run);
      run_steps(&run);
      const tensor_t *value = stored_value(&run, sample->first);
      if (first == NULL) first = value;
      for (size_t i = 0; value != NULL && i < type_element_count(&value->type); i++) {
        int64_t difference = quant_integer_at(value, i) - quant_integer_at(first, i);
        g_assert_cmpint(ABS(difference), <=, 1);
        compared++;
      }
    }
  }
  g_assert_cmpuint(compared, >, 2 * ROUNDS);
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

/* ---- Planted faults -------------------------------------------------------------------------- */

/* Adds `change` to the elements of a constant from `first` on, `every` apart. */
typedef struct plant {
  const char *text;
  quant_lowering_t form;
  const char *tensor;
  int64_t change;
  size_t first;
  size_t every;
  const char *what;
} plant_t;

static const plant_t plants[] = {
    {convolution_text, QUANT_LOWERING_integer, "i32.3", -3, 0, 1, "zero point not subtracted"},
    {convolution_text, QUANT_LOWERING_integer, "z.shift_right_arithmetic", 1, 1, 2,
     "shift off by one"},
    {convolution_text, QUANT_LOWERING_integer, "z.add", INT64_MIN, 0, 1, "no rounding"},
    {convolution_text, QUANT_LOWERING_integer, "i64.2", -2, 0, 1, "zero point not added"},
    {convolution_text, QUANT_LOWERING_integer, "i64.127", 200, 0, 1, "not clamped"},
    {convolution_text, QUANT_LOWERING_integer, "conv.biases", 640, 1, 2,
     "bias by scale of channel 0"},
    {convolution_text, QUANT_LOWERING_fixed, "conv.biases", 640, 1, 2,
     "bias by scale of channel 0"},
    {mixed_text, QUANT_LOWERING_integer, "i64.31", 1, 0, 1, "shift off by one"},
    {mixed_text, QUANT_LOWERING_fixed, "avg.zero", 1, 0, 1, "sum not from zero"},
    {mixed_text, QUANT_LOWERING_float, "k", 1, 0, 1, "weights off by one"},
};

static void plant_fault(const plant_t *plant, run_t *run) {
  bool is_found = false;
  for (uint32_t i = 0; i < run->steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &run->steps->tensors[i];
    if (tensor->constant == NULL || strcmp(tensor->name, plant->tensor) != 0) continue;
    is_found = true;
    const element_t *element = tensor->type.element;
    run->data[i] = tensor_make(run->arena, &tensor->type);
    memcpy(run->data[i].data, tensor->constant->data, type_bytes(&tensor->type));
    size_t count = type_element_count(&tensor->type);
    for (size_t j = plant->first; j < count; j += plant->every) {
      int64_t value = quant_integer_at(tensor->constant, j);
      int64_t changed = plant->change == INT64_MIN ? 0 : value + plant->change;
      element_store(element, run->data[i].data, j, (uint64_t)changed & element_mask(element));
    }
  }
  if (!is_found) g_error("no constant %s", plant->tensor);
}

static void test_plants(void) {
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  for (size_t i = 0; i < G_N_ELEMENTS(plants); i++) {
    arena_reset(&arena);
    const quant_graph_t graph = parse(plants[i].text, &arena);
    const quant_steps_t steps = export(&graph, plants[i].form, &arena);
    rng_t rng = rng_make(11 + i);
    bool is_seen = false;
    for (int round = 0; round < 60 && !is_seen; round++) {
      run_t run;
      checked_t checked = {0};
      run_drawn(&run, &steps, &rng, &scratch);
      plant_fault(&plants[i], &run);
      run_steps(&run);
      is_seen = !check_run(&run, &checked);
    }
    if (!is_seen) g_test_message("not seen: %s in %s", plants[i].what, plants[i].tensor);
    g_assert_true(is_seen);
  }
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

/* ---- Quantized constants --------------------------------------------------------------------- */

static double draw_value(rng_t *rng, const format_t *format, double scale) {
  uint64_t bits =
      rng_bits(rng) & (format->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << format->bits) - 1);
  double value = format_to_double(format, bits);
  if (rng_one_in(rng, 4) && !isnan(value)) return value;
  double steps = (double)rng_between(rng, -600, 600) / 2; /* Halves: ties, and near them. */
  double near = format_round_double(format, steps * scale);
  return rng_one_in(rng, 2)
             ? near
             : format_to_double(format, format_next_up(format, format_from_double(format, near)));
}

static void test_quantized_constants(void) {
  static const char *const expressed[] = {"f32", "f16", "bf16", "f64"};
  static const char *const storages[] = {"i8", "ui8", "i4", "i16", "i32"};
  rng_t rng = rng_make(3);
  int64_t different = 0;
  for (int i = 0; i < QUANTIZED_VALUES; i++) {
    const element_t *element = element_named(expressed[rng_below(&rng, 4)]);
    const element_t *storage = element_named(storages[rng_below(&rng, 5)]);
    double scale = format_round_double(element->format, ldexp(1 + (double)rng_bits(&rng) * 0x1p-64,
                                                              (int)rng_between(&rng, -9, 4)));
    int64_t low = element_integer_min(storage), high = (int64_t)element_integer_max(storage);
    int64_t zero_point = rng_between(&rng, low, high);
    const quantization_t quantization = {.expressed = element,
                                         .storage_min = low,
                                         .storage_max = high,
                                         .axis = -1,
                                         .count = 1,
                                         .scales = &scale,
                                         .zero_points = &zero_point};
    type_t type = type_make(storage, 0, NULL);
    type.quantization = &quantization;
    const quantum_t quantum = quantum_of(&type, 0);
    double value = draw_value(&rng, element->format, scale);
    int64_t stored = quant_store(&quantization, 0, value);
    g_assert_cmpint(stored, ==, quantum_quantize(&quantum, element->format, value));
    different += stored != low && stored != high;
  }
  g_assert_cmpint(different, >, QUANTIZED_VALUES / 4); /* Most are not merely clamped. */
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/export/forms/convolution", &convolution_sample, test_forms);
  g_test_add_data_func("/export/forms/mixed", &mixed_sample, test_forms);
  g_test_add_data_func("/export/forms/agree/convolution", &convolution_sample, test_agreement);
  g_test_add_data_func("/export/forms/agree/mixed", &mixed_sample, test_agreement);
  g_test_add_func("/export/forms/plants", test_plants);
  g_test_add_func("/export/forms/quantized_constants", test_quantized_constants);
  return g_test_run();
}
