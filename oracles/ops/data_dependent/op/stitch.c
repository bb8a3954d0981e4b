/* SPDX-License-Identifier: Apache-2.0 */
/* Defines tf.DynamicStitch: rows of several operands put where lists of indices say; of rows that
 * go to one place the last stays. */
#include "harness/draw/distinct.h"
#include "oracles/ops/data_dependent/op/op.h"

static const char *const index_types[] = {"i32", NULL};

static bool has_counts(const program_t *program) {
  return program->operand_count >= 2 && program->operand_count % 2 == 0 &&
         program->result_count == 1;
}

static bool has_indices(const program_t *program) {
  uint32_t count = program->operand_count / 2;
  for (uint32_t i = 0; i < count; i++) {
    const type_t *indices = &program->operands[i], *data = &program->operands[count + i];
    if (!dependent_is_prefix(indices, index_types, data)) return false;
  }
  return true;
}

static bool has_rows(const program_t *program) {
  uint32_t count = program->operand_count / 2;
  for (uint32_t i = 0; i < count; i++) {
    const type_t *indices = &program->operands[i], *data = &program->operands[count + i];
    if (!dependent_are_rows_behind(&program->results[0], indices, data)) return false;
  }
  return true;
}

static bool has_lists(const program_t *program) {
  for (uint32_t i = 0; i < program->operand_count / 2; i++) {
    if (program->operands[i].rank != 1) return false;
  }
  return true;
}

/* Rows that no index names have no meaning. */
static bool may_be_covered(const program_t *program) {
  int64_t rows = 0;
  for (uint32_t i = 0; i < program->operand_count / 2; i++) rows += program->operands[i].dims[0];
  return program->results[0].dims[0] <= rows && (rows == 0 || program->results[0].dims[0] > 0);
}

static const op_constraint_t constraints[] = {
    OP_FORBIDDEN("count", "there are as many tensors of indices as of data, and one result",
                 "indices, data", has_counts),
    OP_FORBIDDEN("indices", "indices are of i32, of a shape that their data's begins with",
                 "indices", has_indices),
    OP_FORBIDDEN("result",
                 "data have, for each index, rows of one size and type, and the result any shape "
                 "of such rows",
                 "data", has_rows),
    OP_UNMODELLED("lists", "indices are lists", has_lists),
    OP_UNMODELLED("rows", "each row of the result may be named by an index", may_be_covered),
    OP_UNMODELLED("types", "nothing is quantized", program_is_plain),
    OP_CONSTRAINTS_END,
};

static void draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena, program_t *out_program) {
  (void)arena;
  uint32_t lists = (uint32_t)rng_between(rng, 1, CASE_OPERANDS_MAX / 2);
  type_t data = dependent_draw_rows(rng, limits, 2 * lists);
  *out_program = (program_t){.op = &stitch_op, .operand_count = 2 * lists, .result_count = 1};
  int64_t rows = 0, longest = data.dims[0];
  for (uint32_t i = 0; i < lists; i++) {
    if (i > 0) data.dims[0] = rng_between(rng, 0, MAX(longest, 1));
    rows += data.dims[0];
    out_program->operands[i] = type_make(element_named(index_types[0]), 1, data.dims);
    out_program->operands[lists + i] = data;
  }
  out_program->results[0] = data;
  bool is_exact = rows == 0 || rng_one_in(rng, 2);
  out_program->results[0].dims[0] = is_exact ? rows : rng_between(rng, 1, rows);
}

/* An index among the lists, and the row that it names. */
typedef struct slot {
  const tensor_t *list;
  size_t index;
} slot_t;

static slot_t *list_slots(const case_t *instance, size_t *out_count) {
  uint32_t lists = instance->program.operand_count / 2;
  GArray *slots = g_array_new(false, false, sizeof(slot_t));
  for (uint32_t i = 0; i < lists; i++) {
    const tensor_t *list = &instance->operands[i];
    for (size_t k = 0; k < type_element_count(&list->type); k++) {
      const slot_t slot = {list, k};
      g_array_append_val(slots, slot);
    }
  }
  *out_count = slots->len;
  return (slot_t *)(void *)g_array_free(slots, false);
}

/* Changes no more indices than it must so that all are rows and each row is named: those that name
 * none, or a row that an earlier one names, get the rows that are left. */
static void settle(rng_t *rng, case_t *inout_case) {
  size_t rows = (size_t)inout_case->program.results[0].dims[0], count = 0, free_count = 0;
  g_autofree slot_t *slots = list_slots(inout_case, &count);
  g_autofree bool *is_named = g_new0(bool, rows + 1);
  g_autofree size_t *order = g_new(size_t, count + 1);
  g_autofree size_t *free_slots = g_new(size_t, count + 1);
  dependent_draw_order(rng, count, order);
  for (size_t i = 0; i < count; i++) {
    const tensor_t *list = slots[order[i]].list;
    uint64_t row = element_load(list->type.element, list->data, slots[order[i]].index);
    if (row < rows && !is_named[row]) {
      is_named[row] = true;
    } else {
      free_slots[free_count++] = order[i];
    }
  }
  size_t row = 0;
  for (size_t i = 0; i < free_count; i++) {
    const slot_t *slot = &slots[free_slots[i]];
    while (row < rows && is_named[row]) row++;
    uint64_t found = element_load(slot->list->type.element, slot->list->data, slot->index);
    if (row < rows) {
      found = row++;
    } else if (found >= rows) {
      found = rng_below(rng, rows);
    }
    element_store(slot->list->type.element, slot->list->data, slot->index, found);
  }
}

static void print_algorithm(const program_t *program, GString *out_text) {
  (void)program;
  g_string_append(out_text, "stitch");
}

static void print_words(const program_t *program, GString *out_text) {
  g_string_append_printf(out_text, "puts the rows of %u tensors where lists of indices say, in ",
                         program->operand_count / 2);
  type_print(&program->results[0], out_text);
}

const op_t stitch_op = {
    .name = "tf.DynamicStitch",
    .spec = "TensorFlow raw ops, DynamicStitch",
    .summary = "rows of several tensors, placed by index",
    .constraints = constraints,
    .draw = draw,
    .print_algorithm = print_algorithm,
    .print_mlir = custom_call_print_mlir,
    .print_words = print_words,
    .draw_edges = draw_distinct_operands,
    .settle_operands = settle,
};
