/* SPDX-License-Identifier: Apache-2.0 */
/* The list of steps while it grows. */
#include <inttypes.h>
#include <string.h>

#include "harness/quant/graph/unique_name.h"
#include "harness/quant/lower/constant.h"
#include "harness/quant/lower/state.h"

void exporter_init(exporter_t *exporter, const quant_graph_t *graph, quant_lowering_t lowering,
                   arena_t *arena) {
  *exporter = (exporter_t){
      .graph = graph,
      .lowering = lowering,
      .arena = arena,
      .tensors = g_array_new(FALSE, FALSE, sizeof(quant_step_tensor_t)),
      .steps = g_array_new(FALSE, FALSE, sizeof(quant_step_t)),
      .merged = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .names = unique_names_begin(),
      .memo = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
      .memo_keys = g_ptr_array_new(),
      .folded = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
      .values = ARENA_NEW_ARRAY(arena, int32_t, graph->value_count),
      .is_region_done = arena_alloc_zeroed(arena, graph->region_count * sizeof(bool)),
      .region = QUANT_NONE,
  };
  for (uint32_t i = 0; i < graph->value_count; i++) exporter->values[i] = QUANT_NONE;
}

void exporter_deinit(exporter_t *exporter) {
  g_array_unref(exporter->tensors);
  g_array_unref(exporter->steps);
  g_array_unref(exporter->merged);
  g_hash_table_unref(exporter->names);
  g_hash_table_unref(exporter->memo);
  g_ptr_array_unref(exporter->memo_keys);
  g_hash_table_unref(exporter->folded);
}

/* ---- Going back ------------------------------------------------------------------------------ */

exporter_mark_t exporter_mark(const exporter_t *exporter) {
  return (exporter_mark_t){.tensor_count = exporter->tensors->len,
                           .step_count = exporter->steps->len,
                           .merged_count = exporter->merged->len,
                           .counts = exporter->counts};
}

/* Each key of the memo is about a tensor that was new then, so the latest keys go first. */
static void forget(exporter_t *exporter, guint tensor_count) {
  GPtrArray *keys = exporter->memo_keys;
  while (keys->len > 0) {
    gpointer key = g_ptr_array_index(keys, keys->len - 1);
    if (GPOINTER_TO_UINT(g_hash_table_lookup(exporter->memo, key)) < tensor_count) return;
    g_ptr_array_set_size(keys, (gint)keys->len - 1);
    g_hash_table_remove(exporter->memo, key);
  }
}

void exporter_rewind(exporter_t *exporter, exporter_mark_t mark) {
  if (exporter->tensors->len != mark.tensor_count) {
    for (guint i = mark.tensor_count; i < exporter->tensors->len; i++) {
      const quant_step_tensor_t *tensor = &g_array_index(exporter->tensors, quant_step_tensor_t, i);
      g_hash_table_remove(exporter->names, tensor->name);
    }
    forget(exporter, mark.tensor_count);
    g_array_set_size(exporter->tensors, mark.tensor_count);
  }
  g_array_set_size(exporter->steps, mark.step_count);
  for (guint i = mark.merged_count; i < exporter->merged->len; i++) {
    exporter->is_region_done[g_array_index(exporter->merged, uint32_t, i)] = false;
  }
  g_array_set_size(exporter->merged, mark.merged_count);
  exporter->counts = mark.counts;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

uint32_t exporter_add_tensor(exporter_t *exporter, const char *name, const type_t *type,
                             const tensor_t *constant) {
  const char *kept = unique_name(exporter->names, "", name, "", SIZE_MAX, exporter->arena);
  quant_step_tensor_t tensor = {
      .name = kept, .type = *type, .constant = constant, .value = QUANT_NONE};
  g_array_append_val(exporter->tensors, tensor);
  return exporter->tensors->len - 1;
}

const type_t *exporter_type(const exporter_t *exporter, uint32_t tensor) {
  return &g_array_index(exporter->tensors, quant_step_tensor_t, tensor).type;
}

/* Takes `key`, the name of what the memo may have; the tensor, or QUANT_NONE. */
static int32_t look_up(exporter_t *exporter, const char *key) {
  gpointer found;
  bool is_there = g_hash_table_lookup_extended(exporter->memo, key, NULL, &found);
  return is_there ? (int32_t)GPOINTER_TO_UINT(found) : QUANT_NONE;
}

/* Keeps `key` as the name of a tensor that was just made. */
static void remember(exporter_t *exporter, char *key, uint32_t tensor) {
  g_hash_table_insert(exporter->memo, key, GUINT_TO_POINTER(tensor));
  g_ptr_array_add(exporter->memo_keys, key);
}

uint32_t exporter_constant(exporter_t *exporter, const char *name, const tensor_t *constant) {
  char *key = g_strdup_printf("data %p", (const void *)constant);
  int32_t known = look_up(exporter, key);
  if (known != QUANT_NONE) {
    g_free(key);
    return (uint32_t)known;
  }
  uint32_t tensor = exporter_add_tensor(exporter, name, &constant->type, constant);
  remember(exporter, key, tensor);
  return tensor;
}

uint32_t exporter_splat(exporter_t *exporter, const element_t *element, const type_t *shape,
                        int64_t value) {
  const type_t type = type_make(element, shape->rank, shape->dims);
  GString *text = g_string_new(NULL);
  g_string_printf(text, "splat %" PRId64 " ", value);
  type_print(&type, text);
  char *key = g_string_free(text, FALSE);
  int32_t known = look_up(exporter, key);
  if (known != QUANT_NONE) {
    g_free(key);
    return (uint32_t)known;
  }
  const tensor_t *data = quant_tensor_of_channels(element, shape, -1, &value, exporter->arena);
  char *name = g_strdup_printf("%s.%" PRId64, element->name, value);
  uint32_t tensor = exporter_add_tensor(exporter, name, &type, data);
  g_free(name);
  remember(exporter, key, tensor);
  return tensor;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static status_t check_program(const program_t *program, failure_t *error) {
  for (uint32_t i = 0; i < program->operand_count; i++) {
    STATUS_TRY(type_check(&program->operands[i], error));
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    STATUS_TRY(type_check(&program->results[i], error));
  }
  const op_constraint_t *broken = program_broken(program);
  if (broken == NULL) return STATUS_OK;
  g_autoptr(GString) text = g_string_new(NULL);
  op_constraint_explain(program->op, broken, text);
  return status_fail(error, STATUS_UNSUPPORTED, "a step %.250s", text->str);
}

status_t exporter_emit(exporter_t *exporter, const new_step_t *step, uint32_t *out_tensors,
                       failure_t *error) {
  const program_t *program = step->program;
  if (check_program(program, error) != STATUS_OK) return STATUS_UNSUPPORTED;
  quant_step_t added = {.program = *program, .region = exporter->region};
  for (uint32_t i = 0; i < program->operand_count; i++) added.operands[i] = step->operands[i];
  for (uint32_t i = 0; i < program->result_count; i++) {
    added.results[i] = exporter_add_tensor(exporter, step->names[i], &step->declared[i], NULL);
    out_tensors[i] = added.results[i];
  }
  g_array_append_val(exporter->steps, added);
  return STATUS_OK;
}

/* ---- Ops without attributes ------------------------------------------------------------------ */

static void print_line(const simple_op_t *op, GString *out_text) {
  g_string_append(out_text, op->name);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    g_string_append_c(out_text, ' ');
    type_print(&op->seen[i], out_text);
  }
  g_string_append(out_text, " -> ");
  type_print(&op->result, out_text);
}

/* All that a step is. */
static char *make_key(const simple_op_t *op, const type_t *declared) {
  GString *text = g_string_new(NULL);
  g_string_printf(text, "step %u %u ", op->operands[0], op->operands[1]);
  print_line(op, text);
  g_string_append_c(text, ' ');
  type_print(declared, text);
  return g_string_free(text, FALSE);
}

/* Body ops have other ways into the list: what is multiplied or shifted here is a scaling. */
static void count_step(exporter_t *exporter, const simple_op_t *op) {
  quant_step_counts_t *counts = &exporter->counts;
  bool is_quantize = strcmp(op->name, "stablehlo.uniform_quantize") == 0;
  if (is_quantize && op->seen[0].quantization != NULL) counts->requantizations++;
  if (is_quantize && op->seen[0].quantization == NULL) counts->quantizations++;
  if (strcmp(op->name, "stablehlo.uniform_dequantize") == 0) counts->dequantizations++;
  if (strcmp(op->name, "stablehlo.multiply") == 0) counts->multiplications++;
  if (strcmp(op->name, "stablehlo.shift_right_arithmetic") == 0) counts->shifts++;
}

static status_t emit_new(exporter_t *exporter, const simple_op_t *op, const char *name,
                         const type_t *declared, uint32_t *out_tensor, failure_t *error) {
  GString *line = g_string_new(NULL);
  print_line(op, line);
  program_t program;
  const char *violation = NULL;
  str_t text = {.data = line->str, .size = line->len};
  status_t status = program_parse(text, exporter->arena, &program, &violation, error);
  g_string_free(line, TRUE);
  if (status != STATUS_OK) return STATUS_UNSUPPORTED;
  const new_step_t step = {
      .program = &program, .operands = op->operands, .names = &name, .declared = declared};
  STATUS_TRY(exporter_emit(exporter, &step, out_tensor, error));
  count_step(exporter, op);
  return STATUS_OK;
}

status_t exporter_emit_simple(exporter_t *exporter, const simple_op_t *op, const char *name,
                              const type_t *declared, uint32_t *out_tensor, failure_t *error) {
  char *key = make_key(op, declared);
  int32_t known = look_up(exporter, key);
  if (known != QUANT_NONE) {
    *out_tensor = (uint32_t)known;
    g_free(key);
    return STATUS_OK;
  }
  status_t status = emit_new(exporter, op, name, declared, out_tensor, error);
  if (status == STATUS_OK) {
    remember(exporter, key, *out_tensor);
  } else {
    g_free(key);
  }
  return status;
}

status_t exporter_convert(exporter_t *exporter, const tensor_conversion_t *conversion,
                          uint32_t *out_tensor, failure_t *error) {
  const type_t *from = conversion->from, *to = conversion->to;
  *out_tensor = conversion->tensor;
  if (type_equal(from, to)) return STATUS_OK;
  const char *op_name = to->quantization != NULL     ? "stablehlo.uniform_quantize"
                        : from->quantization != NULL ? "stablehlo.uniform_dequantize"
                                                     : "stablehlo.convert";
  const simple_op_t op = {.name = op_name,
                          .operand_count = 1,
                          .operands = {conversion->tensor},
                          .seen = {*from},
                          .result = *to};
  return exporter_emit_simple(exporter, &op, conversion->name, to, out_tensor, error);
}
