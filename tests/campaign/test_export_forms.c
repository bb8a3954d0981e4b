/* Exported graphs, run by the oracles' models: each form against the exact meaning of each region,
 * and so against each other; planted faults are seen; constants are quantized as the oracle does.
 */
#include <math.h>
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/export.h"
#include "harness/quant/export_constant.h"
#include "oracles/exact/quantum.h"
#include "oracles/oracle.h"
#include "tests/quant/export_graphs.h"

#ifdef ASSAY_SANITIZE
enum { ROUNDS = 60, QUANTIZED_VALUES = 20000 };
#else
enum { ROUNDS = 1500, QUANTIZED_VALUES = 500000 };
#endif

/* ---- Running steps --------------------------------------------------------------------------- */

typedef struct run {
  const quant_steps_t *steps;
  tensor_t *data; /* By tensor. */
  arena_t *arena;
} run_t;

static void simulate(const program_t *program, const tensor_t *operands, tensor_t *out_results,
                     arena_t *arena) {
  const schedule_t schedule = schedule_plain();
  failure_t error = {0};
  case_t instance = {.program = *program};
  for (uint32_t i = 0; i < program->operand_count; i++) {
    instance.operands[i] = (tensor_t){.type = program->operands[i], .data = operands[i].data};
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    out_results[i] = tensor_make(arena, &program->results[i]);
  }
  const oracle_t *oracle = oracle_find(program->op);
  g_assert_nonnull(oracle);
  status_t status = oracle->simulate(&instance, &schedule, arena, out_results, &error);
  if (status != STATUS_OK) g_error("%s: %s", program->op->name, error.text);
}

/* Computes all tensors; those of the inputs are there, constants may be. */
static void run_steps(run_t *run) {
  const quant_steps_t *steps = run->steps;
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    bool is_given = run->data[i].data != NULL || steps->tensors[i].constant == NULL;
    if (!is_given) run->data[i] = *steps->tensors[i].constant;
  }
  for (uint32_t i = 0; i < steps->step_count; i++) {
    const quant_step_t *step = &steps->steps[i];
    tensor_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
    for (uint32_t j = 0; j < step->program.operand_count; j++) {
      operands[j] = run->data[step->operands[j]];
    }
    simulate(&step->program, operands, results, run->arena);
    for (uint32_t j = 0; j < step->program.result_count; j++) {
      run->data[step->results[j]] = results[j];
    }
  }
}

/* ---- What a region means --------------------------------------------------------------------- */

static tensor_t make_f64(const type_t *shape, arena_t *arena) {
  const type_t type = type_make(element_named("f64"), shape->rank, shape->dims);
  return tensor_make(arena, &type);
}

static tensor_t as_f64(const tensor_t *floats, arena_t *arena) {
  tensor_t result = make_f64(&floats->type, arena);
  for (size_t i = 0; i < type_element_count(&result.type); i++) {
    double value = quant_float_at(floats, i);
    memcpy(result.data + i * sizeof value, &value, sizeof value);
  }
  return result;
}

/* (stored - zero point) * scale: exact in binary64, as storage has 8 or 32 bits and scales 24. */
static tensor_t real_values(const tensor_t *stored, const type_t *type, arena_t *arena) {
  tensor_t result = make_f64(type, arena);
  const quantization_t *quantization = type->quantization;
  for (size_t i = 0; i < type_element_count(type); i++) {
    size_t channel = quant_channel(type, quantization->axis, i);
    double difference = (double)(quant_integer_at(stored, i) - quantization->zero_points[channel]);
    double value = difference * quantization->scales[channel];
    memcpy(result.data + i * sizeof value, &value, sizeof value);
  }
  return result;
}

/* The tensor that stands for a value in a port's parameters, or -1 (merged away). */
static int32_t find_tensor(const quant_steps_t *steps, const quant_port_t *port) {
  const type_t type = quant_spec_apply(&port->spec, &steps->graph->values[port->value].type);
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &steps->tensors[i];
    if (tensor->value == (int32_t)port->value && type_equal(&tensor->type, &type)) {
      return (int32_t)i;
    }
  }
  return -1;
}

/* The body in f64 on the numbers that the run's own inputs of the region stand for. */
static tensor_t evaluate(const run_t *run, const quant_region_t *region) {
  tensor_t *inners = arena_alloc_zeroed(run->arena, region->inner_count * sizeof *inners);
  for (uint32_t i = 0; i < region->inner_count; i++) {
    const quant_inner_t *inner = &region->inners[i];
    if (i < region->input_count) {
      const quant_port_t *port = &region->ports[i];
      const quant_value_t *value = &run->steps->graph->values[port->value];
      const type_t type = quant_spec_apply(&port->spec, &value->type);
      const tensor_t *stored = value->constant != NULL
                                   ? quant_tensor_quantize(value->constant, &type, run->arena)
                                   : &run->data[find_tensor(run->steps, port)];
      inners[i] = real_values(stored, &type, run->arena);
    } else if (inner->constant != NULL) {
      inners[i] = as_f64(inner->constant, run->arena);
    }
  }
  for (uint32_t i = 0; i < region->op_count; i++) {
    const quant_op_t *op = &region->ops[i];
    program_t program = op->program;
    tensor_t operands[CASE_OPERANDS_MAX], results[CASE_RESULTS_MAX];
    for (uint32_t j = 0; j < program.operand_count; j++) {
      program.operands[j].element = element_named("f64");
      operands[j] = inners[op->operands[j]];
    }
    program.results[0].element = element_named("f64");
    simulate(&program, operands, results, run->arena);
    inners[op->results[0]] = results[0];
  }
  return inners[region->op_count == 0 ? 0 : region->returns[0]];
}

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

/* Whether the stored results are within a rounding of the exact numbers; `shown` is the port whose
 * range clamps, and `port` the one that is stored. */
static bool is_close(const tensor_t *exact, const tensor_t *stored, const quantization_t *shown,
                     const quantization_t *port) {
  for (size_t i = 0; i < type_element_count(&exact->type); i++) {
    double value;
    memcpy(&value, exact->data + i * sizeof value, sizeof value);
    double low = (double)(shown->storage_min - shown->zero_points[0]) * shown->scales[0];
    double high = (double)(shown->storage_max - shown->zero_points[0]) * shown->scales[0];
    double clamped = fmin(fmax(value, low), high);
    double wanted = clamped / port->scales[0] + (double)port->zero_points[0];
    wanted = fmin(fmax(wanted, (double)port->storage_min), (double)port->storage_max);
    if (!(fabs((double)quant_integer_at(stored, i) - wanted) <= ROUNDING)) return false;
  }
  return true;
}

/* The number of quantized regions whose results were compared; -1 if one is wrong. */
static int check_run(const run_t *run) {
  const quant_graph_t *graph = run->steps->graph;
  int checked = 0;
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
    const tensor_t exact = evaluate(run, region);
    const quantization_t *shown = port->spec.uniform;
    if (!is_close(&exact, &run->data[tensor], shown, seen->spec.uniform)) return -1;
    checked++;
  }
  return checked;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Numbers small and large against the scales, so that results lie within ranges and are clamped. */
static void draw_inputs(const quant_steps_t *steps, rng_t *rng, run_t *run) {
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    uint32_t tensor = steps->inputs[i];
    run->data[tensor] = tensor_make(run->arena, &steps->tensors[tensor].type);
    double reach = ldexp(1, (int)rng_between(rng, 0, 7));
    for (size_t j = 0; j < type_element_count(&steps->tensors[tensor].type); j++) {
      float value = (float)(((double)rng_below(rng, 2001) - 1000) / 1000 * reach);
      memcpy(run->data[tensor].data + j * sizeof value, &value, sizeof value);
    }
  }
}

static quant_graph_t parse(const char *text, arena_t *arena) {
  quant_graph_t graph;
  failure_t error = {0};
  status_t status = quant_graph_parse(str_from(text), arena, &graph, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  return graph;
}

static quant_steps_t export(const quant_graph_t *graph, quant_form_t form, arena_t *arena) {
  quant_steps_t steps;
  failure_t error = {0};
  status_t status = quant_export(graph, form, arena, &steps, &error);
  if (status == STATUS_OK) status = quant_steps_check(&steps, &error);
  if (status != STATUS_OK) g_error("%s", error.text);
  return steps;
}

static void test_forms(gconstpointer text) {
  arena_t arena, scratch;
  arena_init(&arena);
  arena_init(&scratch);
  const quant_graph_t graph = parse(text, &arena);
  for (quant_form_t form = 0; form < QUANT_FORM_COUNT; form++) {
    const quant_steps_t steps = export(&graph, form, &arena);
    rng_t rng = rng_make(7 + form);
    for (int round = 0; round < ROUNDS; round++) {
      arena_reset(&scratch);
      run_t run = {.steps = &steps, .arena = &scratch};
      run.data = arena_alloc_zeroed(&scratch, steps.tensor_count * sizeof(tensor_t));
      draw_inputs(&steps, &rng, &run);
      run_steps(&run);
      g_assert_cmpint(check_run(&run), >=, form == QUANT_FORM_integer ? 1 : 2);
    }
  }
  arena_deinit(&scratch);
  arena_deinit(&arena);
}

/* ---- Planted faults -------------------------------------------------------------------------- */

/* Adds `change` to the elements of a constant from `first` on, `every` apart. */
typedef struct plant {
  const char *text;
  quant_form_t form;
  const char *tensor;
  int64_t change;
  size_t first;
  size_t every;
  const char *what;
} plant_t;

static const plant_t plants[] = {
    {convolution_text, QUANT_FORM_integer, "i32.3", -3, 0, 1, "zero point not subtracted"},
    {convolution_text, QUANT_FORM_integer, "z.shift_right_arithmetic", 1, 1, 2, "shift off by one"},
    {convolution_text, QUANT_FORM_integer, "z.add", INT64_MIN, 0, 1, "no rounding"},
    {convolution_text, QUANT_FORM_integer, "i64.2", -2, 0, 1, "zero point not added"},
    {convolution_text, QUANT_FORM_integer, "i64.127", 200, 0, 1, "not clamped"},
    {convolution_text, QUANT_FORM_integer, "conv.biases", 640, 1, 2, "bias by scale of channel 0"},
    {convolution_text, QUANT_FORM_fixed, "conv.biases", 640, 1, 2, "bias by scale of channel 0"},
    {mixed_text, QUANT_FORM_integer, "i64.31", 1, 0, 1, "shift off by one"},
    {mixed_text, QUANT_FORM_fixed, "avg.zero", 1, 0, 1, "sum not from zero"},
    {mixed_text, QUANT_FORM_float, "k", 1, 0, 1, "weights off by one"},
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
      arena_reset(&scratch);
      run_t run = {.steps = &steps, .arena = &scratch};
      run.data = arena_alloc_zeroed(&scratch, steps.tensor_count * sizeof(tensor_t));
      draw_inputs(&steps, &rng, &run);
      plant_fault(&plants[i], &run);
      run_steps(&run);
      is_seen = check_run(&run) < 0;
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
  g_test_add_data_func("/export/forms/convolution", convolution_text, test_forms);
  g_test_add_data_func("/export/forms/mixed", mixed_text, test_forms);
  g_test_add_func("/export/forms/plants", test_plants);
  g_test_add_func("/export/forms/quantized_constants", test_quantized_constants);
  return g_test_run();
}
