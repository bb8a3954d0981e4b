/* SPDX-License-Identifier: Apache-2.0 */
/* Prints exported steps as text: inputs, constants (repeated data abbreviated), one line per step,
 * outputs, and counts of the quantization steps. */
#include "harness/quant/lower/export.h"

static void print_names(const quant_steps_t *steps, const uint32_t *tensors, uint32_t count,
                        GString *out_text) {
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(out_text, ", ");
    g_string_append(out_text, steps->tensors[tensors[i]].name);
  }
}

/* Whether all of several elements have the same bits. */
static bool is_splat(const tensor_t *data) {
  size_t count = type_component_count(&data->type);
  const element_t *element = data->type.element;
  for (size_t i = 1; i < count; i++) {
    if (element_load(element, data->data, i) != element_load(element, data->data, 0)) return false;
  }
  return count > 1;
}

/* As case lines have it; what repeats is said once: "all 7f". */
static void print_data(const tensor_t *data, GString *out_text) {
  if (!is_splat(data)) {
    tensor_print_data(data, out_text);
    return;
  }
  tensor_t first = {.type = type_make(data->type.element, 0, NULL), .data = data->data};
  g_string_append(out_text, "all ");
  tensor_print_data(&first, out_text);
}

static void print_step(const quant_steps_t *steps, const quant_step_t *step, GString *out_text) {
  print_names(steps, step->results, step->program.result_count, out_text);
  g_string_append(out_text, " = ");
  program_print(&step->program, out_text);
  g_string_append(out_text, " (");
  print_names(steps, step->operands, step->program.operand_count, out_text);
  g_string_append(out_text, ")\n");
}

void quant_steps_print(const quant_steps_t *steps, GString *out_text) {
  for (uint32_t i = 0; i < steps->graph->input_count; i++) {
    const quant_step_tensor_t *tensor = &steps->tensors[steps->inputs[i]];
    g_string_append_printf(out_text, "input %s ", tensor->name);
    type_print(&tensor->type, out_text);
    g_string_append_c(out_text, '\n');
  }
  for (uint32_t i = 0; i < steps->tensor_count; i++) {
    const quant_step_tensor_t *tensor = &steps->tensors[i];
    if (tensor->constant == NULL) continue;
    g_string_append_printf(out_text, "constant %s ", tensor->name);
    type_print(&tensor->type, out_text);
    g_string_append(out_text, " = ");
    print_data(tensor->constant, out_text);
    g_string_append_c(out_text, '\n');
  }
  for (uint32_t i = 0; i < steps->step_count; i++) print_step(steps, &steps->steps[i], out_text);
  for (uint32_t i = 0; i < steps->graph->output_count; i++) {
    g_string_append_printf(out_text, "output %s\n", steps->tensors[steps->outputs[i]].name);
  }
}

static void print_count(const char *one, const char *many, uint32_t count, GString *out_text) {
  g_string_append_printf(out_text, ", %u %s", count, count == 1 ? one : many);
}

void quant_step_counts_print(const quant_steps_t *steps, GString *out_text) {
  const quant_step_counts_t *counts = &steps->counts;
  g_string_append_printf(out_text, "%u %s", steps->step_count,
                         steps->step_count == 1 ? "step" : "steps");
  print_count("quantization", "quantizations", counts->quantizations, out_text);
  print_count("dequantization", "dequantizations", counts->dequantizations, out_text);
  print_count("requantization", "requantizations", counts->requantizations, out_text);
  print_count("multiplication by a multiplier", "multiplications by multipliers",
              counts->multiplications, out_text);
  print_count("shift", "shifts", counts->shifts, out_text);
  print_count("scaling merged away", "scalings merged away", counts->merged_scalings, out_text);
  print_count("op in high precision", "ops in high precision", counts->float_ops, out_text);
}
