#include <inttypes.h>

#include "harness/model/mlir.h"
#include "oracles/ops/reduce/reduce_op.h"

/* The region's text is built for any program, valid or not: the body tells how many arguments there
 * are, and where the program has fewer results, the first one's type is taken. */
typedef struct region {
  const program_t *program;
  GString *text;
  uint32_t inputs;     /* N of the body. */
  uint32_t next_value; /* Number of the next SSA value. */
} region_t;

static const element_t *accumulation_type(const region_t *region, uint32_t input) {
  uint32_t result = input < region->program->result_count ? input : 0;
  return region->program->results[result].element;
}

/* Arguments are %lhs0, %lhs1, ..., then %rhs0, %rhs1, ... */
static void print_arguments(region_t *region) {
  static const char *const sides[] = {"lhs", "rhs"};
  g_string_append(region->text, "    ^body(");
  for (uint32_t i = 0; i < 2 * region->inputs; i++) {
    uint32_t input = i % region->inputs;
    g_string_append_printf(region->text, "%s%%%s%u: ", i == 0 ? "" : ", ",
                           sides[i / region->inputs], input);
    mlir_print_scalar(accumulation_type(region, input), region->text);
  }
  g_string_append(region->text, "):\n");
}

/* `%N = "stablehlo.NAME"(lhs, rhs) : (T, T) -> T`; returns N. */
static uint32_t print_binary(region_t *region, const char *name, const char *lhs, const char *rhs,
                             const element_t *element) {
  uint32_t value = region->next_value++;
  g_string_append_printf(region->text, "      %%%u = \"stablehlo.%s\"(%s, %s) : (", value, name,
                         lhs, rhs);
  for (int i = 0; i < 2; i++) {
    mlir_print_scalar(element, region->text);
    g_string_append(region->text, i == 0 ? ", " : ") -> ");
  }
  mlir_print_scalar(element, region->text);
  g_string_append_c(region->text, '\n');
  return value;
}

static uint32_t print_compare(region_t *region, const char *direction, const char *lhs,
                              const char *rhs, const element_t *element) {
  uint32_t value = region->next_value++;
  g_string_append_printf(region->text,
                         "      %%%u = \"stablehlo.compare\"(%s, %s) <{comparison_direction = "
                         "#stablehlo<comparison_direction %s>}> : (",
                         value, lhs, rhs, direction);
  mlir_print_scalar(element, region->text);
  g_string_append(region->text, ", ");
  mlir_print_scalar(element, region->text);
  g_string_append(region->text, ") -> tensor<i1>\n");
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

static uint32_t print_select(region_t *region, uint32_t predicate, const char *on_true,
                             const char *on_false, const element_t *element) {
  uint32_t value = region->next_value++;
  g_string_append_printf(region->text,
                         "      %%%u = \"stablehlo.select\"(%%%u, %s, %s) : (tensor<i1>, ", value,
                         predicate, on_true, on_false);
  for (int i = 0; i < 2; i++) {
    mlir_print_scalar(element, region->text);
    g_string_append(region->text, i == 0 ? ", " : ") -> ");
  }
  mlir_print_scalar(element, region->text);
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
    mlir_print_scalar(accumulation_type(region, i), region->text);
  }
  g_string_append(region->text, ") -> ()\n");
}

/* The left pair wins if its value is better or NaN, or equal with the smaller index. */
static void print_arg_body(region_t *region, const char *better) {
  const element_t *value = accumulation_type(region, 0);
  const element_t *index = accumulation_type(region, 1);
  uint32_t is_better = print_compare(region, better, "%lhs0", "%rhs0", value);
  uint32_t is_nan = print_compare(region, "NE", "%lhs0", "%lhs0", value);
  uint32_t pick = print_logical(region, "or", is_better, is_nan);
  uint32_t is_equal = print_compare(region, "EQ", "%lhs0", "%rhs0", value);
  uint32_t is_earlier = print_compare(region, "LT", "%lhs1", "%rhs1", index);
  uint32_t breaks_tie = print_logical(region, "and", is_equal, is_earlier);
  uint32_t pick_index = print_logical(region, "or", pick, breaks_tie);
  uint32_t picked[2];
  picked[0] = print_select(region, pick, "%lhs0", "%rhs0", value);
  picked[1] = print_select(region, pick_index, "%lhs1", "%rhs1", index);
  print_return(region, picked);
}

static void print_body(region_t *region, reduce_body_t body) {
  uint32_t values[2];
  switch (body) {
    case REDUCE_argmax:
      print_arg_body(region, "GT");
      return;
    case REDUCE_argmin:
      print_arg_body(region, "LT");
      return;
    case REDUCE_sum_count:
      values[0] = print_binary(region, "add", "%lhs0", "%rhs0", accumulation_type(region, 0));
      values[1] = print_binary(region, "add", "%lhs1", "%rhs1", accumulation_type(region, 1));
      break;
    default:
      values[0] = print_binary(region, reduce_body_table[body].name, "%lhs0", "%rhs0",
                               accumulation_type(region, 0));
  }
  print_return(region, values);
}

void reduce_print_mlir(const program_t *program, GString *out_text) {
  const reduce_attributes_t *attributes = reduce_attributes(program);
  mlir_open(program, program->op->name, out_text);
  g_string_append(out_text, " <{dimensions = array<i64");
  for (uint32_t i = 0; i < attributes->dimensions.count; i++) {
    g_string_append_printf(out_text, "%s%" PRId64, i == 0 ? ": " : ", ",
                           attributes->dimensions.dims[i]);
  }
  g_string_append(out_text, ">}> ({\n");
  region_t region = {.program = program,
                     .text = out_text,
                     .inputs = reduce_body_table[attributes->body].inputs,
                     .next_value = 1};
  print_arguments(&region);
  print_body(&region, attributes->body);
  g_string_append(out_text, "    })");
  mlir_close(program, out_text);
}
