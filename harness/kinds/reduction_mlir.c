/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the region of a reduction body as MLIR, with numbered SSA values; an argmax body is built
 * from compare, logical ops and select. */
#include "harness/kinds/reduction.h"

typedef struct region {
  GString *text;
  uint32_t inputs;                           /* N of the body. */
  uint32_t argument_count;                   /* The same in valid programs. */
  scalar_type_t arguments[CASE_RESULTS_MAX]; /* What it takes and returns. */
  uint32_t next_value;                       /* Number of the next SSA value. */
} region_t;

/* Arguments are %lhs0, %lhs1, ..., then %rhs0, %rhs1, ... */
static void print_arguments(region_t *region) {
  static const char *const sides[] = {"lhs", "rhs"};
  g_string_append(region->text, "    ^body(");
  for (uint32_t i = 0; i < 2 * region->argument_count; i++) {
    uint32_t input = i % region->argument_count;
    g_string_append_printf(region->text, "%s%%%s%u: ", i == 0 ? "" : ", ",
                           sides[i / region->argument_count], input);
    scalar_type_print_mlir(&region->arguments[input], region->text);
  }
  g_string_append(region->text, "):\n");
}

/* "(T, T) -> T" or what else stands there. */
static void print_signature(region_t *region, const char *before, const scalar_type_t *type,
                            const char *after) {
  g_string_append(region->text, before);
  scalar_type_print_mlir(type, region->text);
  g_string_append(region->text, ", ");
  scalar_type_print_mlir(type, region->text);
  g_string_append(region->text, after);
}

/* `%N = "stablehlo.NAME"(lhs, rhs) : (T, T) -> T`; returns N. */
static uint32_t print_binary(region_t *region, const char *name, uint32_t input) {
  uint32_t value = region->next_value++;
  const scalar_type_t *type = &region->arguments[input];
  g_string_append_printf(region->text, "      %%%u = \"stablehlo.%s\"(%%lhs%u, %%rhs%u) : ", value,
                         name, input, input);
  print_signature(region, "(", type, ") -> ");
  scalar_type_print_mlir(type, region->text);
  g_string_append_c(region->text, '\n');
  return value;
}

static uint32_t print_compare(region_t *region, const char *direction, const char *lhs,
                              const char *rhs, const scalar_type_t *type) {
  uint32_t value = region->next_value++;
  g_string_append_printf(region->text,
                         "      %%%u = \"stablehlo.%s\"(%s, %s) <{comparison_direction = "
                         "#stablehlo<comparison_direction %s>}> : ",
                         value, "compare", lhs, rhs, direction);
  print_signature(region, "(", type, ") -> tensor<i1>\n");
  return value;
}

static uint32_t print_logical(region_t *region, const char *name, uint32_t lhs, uint32_t rhs) {
  uint32_t value = region->next_value++;
  g_string_append_printf(region->text,
                         "      %%%u = \"stablehlo.%s\"(%%%u, %%%u) : (tensor<i1>, tensor<i1>) -> "
                         "tensor<i1>\n",
                         value, name, lhs, rhs);
  return value;
}

static uint32_t print_select(region_t *region, uint32_t predicate, uint32_t input) {
  uint32_t value = region->next_value++;
  const scalar_type_t *type = &region->arguments[input];
  g_string_append_printf(region->text,
                         "      %%%u = \"stablehlo.%s\"(%%%u, %%lhs%u, %%rhs%u) : ", value,
                         "select", predicate, input, input);
  print_signature(region, "(tensor<i1>, ", type, ") -> ");
  scalar_type_print_mlir(type, region->text);
  g_string_append_c(region->text, '\n');
  return value;
}

static void print_return(region_t *region, const uint32_t values[]) {
  g_string_append(region->text, "      \"stablehlo.return\"(");
  for (uint32_t i = 0; i < region->inputs; i++) {
    g_string_append_printf(region->text, "%s%%%u", i == 0 ? "" : ", ", values[i]);
  }
  g_string_append(region->text, ") : (");
  for (uint32_t i = 0; i < region->inputs; i++) {
    if (i > 0) g_string_append(region->text, ", ");
    scalar_type_print_mlir(&region->arguments[i], region->text);
  }
  g_string_append(region->text, ") -> ()\n");
}

/* The left pair wins if its value is better or NaN, or equal with the smaller index. */
static void print_arg_body(region_t *region, const char *better) {
  const scalar_type_t *value = &region->arguments[0];
  const scalar_type_t *index = &region->arguments[1];
  uint32_t is_better = print_compare(region, better, "%lhs0", "%rhs0", value);
  uint32_t is_nan = print_compare(region, "NE", "%lhs0", "%lhs0", value);
  uint32_t pick = print_logical(region, "or", is_better, is_nan);
  uint32_t is_equal = print_compare(region, "EQ", "%lhs0", "%rhs0", value);
  uint32_t is_earlier = print_compare(region, "LT", "%lhs1", "%rhs1", index);
  uint32_t breaks_tie = print_logical(region, "and", is_equal, is_earlier);
  uint32_t pick_index = print_logical(region, "or", pick, breaks_tie);
  uint32_t picked[2];
  picked[0] = print_select(region, pick, 0);
  picked[1] = print_select(region, pick_index, 1);
  print_return(region, picked);
}

static void print_ops(region_t *region, reduce_body_t body) {
  uint32_t values[2];
  switch (body) {
    case REDUCE_argmax:
      print_arg_body(region, "GT");
      return;
    case REDUCE_argmin:
      print_arg_body(region, "LT");
      return;
    case REDUCE_sum_count:
      values[0] = print_binary(region, "add", 0);
      values[1] = print_binary(region, "add", 1);
      break;
    default:
      values[0] = print_binary(region, reduce_body_table[body].name, 0);
  }
  print_return(region, values);
}

void reduction_print_region(const reduction_t *reduction, const type_t *results,
                            uint32_t result_count, GString *out_text) {
  region_t region = {.text = out_text, .inputs = reduction_inputs(reduction), .next_value = 1};
  uint32_t named = reduction->accumulation_count;
  region.argument_count = named == 0 ? region.inputs : named;
  for (uint32_t i = 0; i < MAX(region.inputs, region.argument_count); i++) {
    region.arguments[i] =
        i < named ? reduction->accumulation[i] : scalar_type_of(&results[i < result_count ? i : 0]);
  }
  print_arguments(&region);
  if (reduction->body != REDUCE_WRITTEN) {
    print_ops(&region, reduction->body);
    return;
  }
  const element_t *arguments[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < region.argument_count; i++) arguments[i] = region.arguments[i].element;
  body_print_mlir(&reduction->written, arguments, region.argument_count, out_text);
}
