/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a declared op as a StableHLO module of known ops: the first formula, and of two
 * ways to compute the same the first.  Values have one dimension for each index that they run
 * along, in the order of the indices.  Numbers of 16 bits are computed with in f32. */
#include <inttypes.h>
#include <math.h>

#include "harness/kinds/custom_call.h"
#include "harness/model/dynamic/dynamic.h"
#include "oracles/ops/declared/op/printer.h"

/* ---- Steps ----------------------------------------------------------------------------------- */

static int print_fold_from(printer_t *printer, const char *name, int init, int value, uint32_t from,
                           uint32_t over) {
  int made = (int)printer->next++;
  type_t wide = printer_type(printer, from), narrow = printer_type(printer, from & ~over);
  type_t scalar = type_make(printer->element, 0, NULL);
  g_autofree char *places = printer_places(printer, over, from);
  g_autoptr(GString) element = g_string_new(NULL);
  type_print_mlir(&scalar, element);
  g_string_append_printf(printer->text,
                         "    %%v%d = \"stablehlo.reduce\"(%%v%d, %%v%d) <{dimensions = %s}> ({\n"
                         "    ^bb0(%%a: %s, %%b: %s):\n"
                         "      %%c = \"stablehlo.%s\"(%%a, %%b) : (%s, %s) -> %s\n"
                         "      \"stablehlo.return\"(%%c) : (%s) -> ()\n"
                         "    }) : (",
                         made, value, init, places, element->str, element->str, name, element->str,
                         element->str, element->str, element->str);
  printer_print_type(printer, &wide);
  g_string_append_printf(printer->text, ", %s) -> ", element->str);
  printer_print_type(printer, &narrow);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_fold(printer_t *printer, const char *name, double start, int value, uint32_t from,
                      uint32_t over) {
  return print_fold_from(printer, name, printer_number(printer, start), value, from, over);
}

static int print_erf(printer_t *printer, int value, const type_t *type) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"chlo.erf\"(%%v%d) : (", made, value);
  printer_print_type(printer, type);
  g_string_append(printer->text, ") -> ");
  printer_print_type(printer, type);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_function(printer_t *printer, const step_t *step, int value, const type_t *type) {
  static const char *const names[ELEMENTARY_COUNT] = {
      [ELEMENTARY_exp] = "exponential", [ELEMENTARY_log] = "log", [ELEMENTARY_tanh] = "tanh"};
  if (step->function == ELEMENTARY_erf) return print_erf(printer, value, type);
  if (step->function == ELEMENTARY_exp2) {
    int two = printer_broadcast(printer, printer_number(printer, 2), 0, step->mask);
    return printer_binary(printer, "power", two, value, type);
  }
  return printer_unary(printer, names[step->function], value, "", type, type);
}

/* sum(exp(a - max(a))) */
static int print_online_sum(printer_t *printer, int a, uint32_t mask, uint32_t over) {
  type_t type = printer_type(printer, mask);
  int largest = print_fold(printer, "maximum", -(double)INFINITY, a, mask, over);
  int shifted = printer_binary(printer, "subtract", a,
                               printer_broadcast(printer, largest, mask & ~over, mask), &type);
  int exponentials = printer_unary(printer, "exponential", shifted, "", &type, &type);
  return print_fold(printer, "add", 0, exponentials, mask, over);
}

static int print_step(printer_t *printer, uint16_t step);

/* The indices that a step runs along. */
static uint32_t formula_mask(const printer_t *printer, uint16_t step) {
  return printer->formula->steps[step].mask;
}

/* A step as a value that runs along `mask`. */
static int print_along(printer_t *printer, uint16_t step, uint32_t mask) {
  int value = print_step(printer, step);
  const element_t *element = printer->element;
  printer->element = printer_element(printer, step);
  value = printer_broadcast(printer, value, formula_mask(printer, step), mask);
  printer->element = element;
  return value;
}

/* ---- Integers and booleans ------------------------------------------------------------------- */

/* The type of a value with another step's numbers. */
static type_t type_of_other(printer_t *printer, uint16_t step, uint32_t mask) {
  type_t type = printer_type(printer, mask);
  type.element = printer_element(printer, step);
  return type;
}

/* A step along `mask`, of its own type. */
static printed_t print_typed(printer_t *printer, uint16_t step, uint32_t mask) {
  return (printed_t){print_along(printer, step, mask), type_of_other(printer, step, mask)};
}

static int print_comparison(printer_t *printer, const step_t *step) {
  static const char *const directions[] = {
      [STEP_LESS] = "LT", [STEP_LESS_EQUAL] = "LE", [STEP_EQUAL] = "EQ", [STEP_NOT_EQUAL] = "NE"};
  const printed_t operands[] = {print_typed(printer, step->a, step->mask),
                                print_typed(printer, step->b, step->mask)};
  const type_t result = printer_type(printer, step->mask);
  g_autofree char *properties =
      g_strdup_printf(" <{comparison_direction = #stablehlo<comparison_direction %s>}>",
                      directions[step->comparison]);
  return printer_op(printer, "compare", properties, 2, operands, &result);
}

static int print_select(printer_t *printer, const step_t *step) {
  const printed_t operands[] = {print_typed(printer, step->a, step->mask),
                                print_typed(printer, step->b, step->mask),
                                print_typed(printer, step->c, step->mask)};
  const type_t result = printer_type(printer, step->mask);
  return printer_op(printer, "select", "", 3, operands, &result);
}

/* To a type of floats, and back to that of the steps. */
static int print_conversion(printer_t *printer, const step_t *step) {
  int value = print_step(printer, step->a);
  const type_t from = type_of_other(printer, step->a, step->mask);
  const type_t to = printer_type(printer, step->mask);
  type_t between = to;
  if (step->format != NULL) between.element = element_named(step->format->name);
  if (between.element != from.element) {
    value = printer_unary(printer, "convert", value, "", &from, &between);
  }
  if (between.element == to.element) return value;
  return printer_unary(printer, "convert", value, "", &between, &to);
}

/* The nearest integer, as a float, converted. */
static int print_rounding(printer_t *printer, const step_t *step) {
  const type_t from = type_of_other(printer, step->a, step->mask);
  const type_t to = printer_type(printer, step->mask);
  int value = print_step(printer, step->a);
  value = printer_unary(printer, "round_nearest_even", value, "", &from, &from);
  return printer_unary(printer, "convert", value, "", &from, &to);
}

static int print_index(printer_t *printer, const step_t *step) {
  const type_t type = printer_type(printer, step->mask);
  return printer_op(printer, "iota", " <{iota_dimension = 0 : i64}>", 0, NULL, &type);
}

/* The number at which a reduction of integers starts. */
static int print_start(printer_t *printer, step_kind_t kind) {
  int64_t start = 0;
  if (kind == STEP_LARGEST) start = element_integer_min(printer->element);
  if (kind == STEP_SMALLEST) start = (int64_t)element_integer_max(printer->element);
  return printer_integer(printer, start);
}

static int print_integer_fold(printer_t *printer, const step_t *step, int a) {
  const char *name = step->kind == STEP_SUM       ? "add"
                     : step->kind == STEP_LARGEST ? "maximum"
                                                  : "minimum";
  return print_fold_from(printer, name, print_start(printer, step->kind), a,
                         printer->formula->steps[step->a].mask, step->over);
}

static int print_combined(printer_t *printer, const step_t *step) {
  const uint32_t from = printer->formula->steps[step->a].mask;
  int a = print_step(printer, step->a);
  bool is_fold =
      step->kind == STEP_SUM || step->kind == STEP_LARGEST || step->kind == STEP_SMALLEST;
  if (is_fold && step->type != NULL) return print_integer_fold(printer, step, a);
  switch (step->kind) {
    case STEP_SUM:
      return print_fold(printer, "add", 0, a, from, step->over);
    case STEP_LARGEST:
      return print_fold(printer, "maximum", -(double)INFINITY, a, from, step->over);
    case STEP_ONLINE_SUM:
      return print_online_sum(printer, a, from, step->over);
    case STEP_PICK:
      return printer_pick(printer, step, a, from);
    default: { /* STEP_SHARES */
      type_t type = printer_type(printer, from);
      int sum = print_fold(printer, "add", 0, a, from, step->over);
      return printer_binary(printer, "divide", a,
                            printer_broadcast(printer, sum, from & ~step->over, from), &type);
    }
  }
}

/* What is made of no other step. */
static int print_source(printer_t *printer, const step_t *step) {
  bool is_float = step->type == NULL;
  switch (step->kind) {
    case STEP_NUMBER:
      return is_float ? printer_number(printer, g_ascii_strtod(step->decimal, NULL))
                      : printer_integer(printer, step->place);
    case STEP_ATTRIBUTE:
      return is_float ? printer_number(printer, declared_number(printer->program, step->a))
                      : printer_integer(printer, declared_integer(printer->program, step->a));
    case STEP_SCALE:
    case STEP_ZERO_POINT:
      return printer_channels(printer, step);
    case STEP_COUNT:
      return printer_number(printer, (double)printer->binding.extent[step->index]);
    default: /* STEP_INDEX */
      return print_index(printer, step);
  }
}

/* The op of a step of one or two operands of its own type; NULL for others. */
static const char *find_name(const printer_t *printer, step_kind_t kind) {
  static const char *const names[] = {[STEP_ADD] = "add",
                                      [STEP_SUBTRACT] = "subtract",
                                      [STEP_MULTIPLY] = "multiply",
                                      [STEP_DIVIDE] = "divide",
                                      [STEP_MAXIMUM] = "maximum",
                                      [STEP_NEGATE] = "negate",
                                      [STEP_SQUARE_ROOT] = "sqrt",
                                      [STEP_INVERSE_SQUARE_ROOT] = "rsqrt",
                                      [STEP_MINIMUM] = "minimum",
                                      [STEP_AND] = "and",
                                      [STEP_OR] = "or",
                                      [STEP_XOR] = "xor",
                                      [STEP_NOT] = "not",
                                      [STEP_SHIFT_LEFT] = "shift_left",
                                      [STEP_REMAINDER] = "remainder"};
  bool is_signed = printer->element->kind == ELEMENT_SIGNED;
  if (kind == STEP_SHIFT_RIGHT) return is_signed ? "shift_right_arithmetic" : "shift_right_logical";
  return kind < G_N_ELEMENTS(names) ? names[kind] : NULL;
}

static int print_named(printer_t *printer, const step_t *step, const char *name) {
  type_t type = printer_type(printer, step->mask);
  bool is_unary = step->kind == STEP_NEGATE || step->kind == STEP_NOT ||
                  step->kind == STEP_SQUARE_ROOT || step->kind == STEP_INVERSE_SQUARE_ROOT;
  if (is_unary) {
    return printer_unary(printer, name, print_step(printer, step->a), "", &type, &type);
  }
  int a = print_along(printer, step->a, step->mask);
  int b = print_along(printer, step->b, step->mask);
  return printer_binary(printer, name, a, b, &type);
}

static int print_scatter(printer_t *printer, const step_t *step) {
  const uint32_t kept = step->mask & ~(1U << step->index);
  const uint32_t of_places = formula_mask(printer, step->c) | step->over;
  int operand = print_along(printer, step->a, step->mask);
  const printed_t places = print_typed(printer, step->c, of_places);
  int updates = print_along(printer, step->b, kept | step->over);
  return printer_scatter(printer, step, operand, places, of_places, updates);
}

static int make_step(printer_t *printer, const step_t *step) {
  type_t type = printer_type(printer, step->mask);
  const char *name = find_name(printer, step->kind);
  if (name != NULL) return print_named(printer, step, name);
  switch (step->kind) {
    case STEP_NUMBER:
    case STEP_ATTRIBUTE:
    case STEP_COUNT:
    case STEP_INDEX:
    case STEP_SCALE:
    case STEP_ZERO_POINT:
      return print_source(printer, step);
    case STEP_FUNCTION:
      return print_function(printer, step, print_step(printer, step->a), &type);
    case STEP_STORED:
    case STEP_NORMALIZED:
    case STEP_EITHER:
      return print_along(printer, step->a, step->mask);
    case STEP_STACK: {
      uint32_t mask = step->mask & ~(1U << step->index);
      int a = print_along(printer, step->a, mask);
      return printer_stack(printer, step, a, print_along(printer, step->b, mask));
    }
    case STEP_COMPARE:
      return print_comparison(printer, step);
    case STEP_SELECT:
      return print_select(printer, step);
    case STEP_CONVERT:
      return print_conversion(printer, step);
    case STEP_ROUND:
      return print_rounding(printer, step);
    case STEP_GATHER: {
      const printed_t places = print_typed(printer, step->b, formula_mask(printer, step->b));
      return printer_gather(printer, step, print_step(printer, step->a), places);
    }
    case STEP_SCATTER_ADD:
    case STEP_SCATTER_REPLACE:
      return print_scatter(printer, step);
    case STEP_QUANTIZE: {
      const printed_t value = print_typed(printer, step->a, step->mask);
      int scale = print_along(printer, step->b, step->mask);
      return printer_quantize(printer, step, value, scale,
                              print_typed(printer, step->c, step->mask));
    }
    default:
      return print_combined(printer, step);
  }
}

static int print_step(printer_t *printer, uint16_t step) {
  const step_t *of = &printer->formula->steps[step];
  if (printer->names[step] < 0 && of->kind == STEP_STORAGE) {
    const element_t *element = printer->element;
    printer_operand(printer, of->a, step);
    printer->element = element;
  }
  if (printer->names[step] < 0) {
    const element_t *element = printer->element;
    printer->element = printer_element(printer, step);
    printer->names[step] = make_step(printer, &printer->formula->steps[step]);
    printer->element = element;
  }
  return printer->names[step];
}

/* ---- The module ------------------------------------------------------------------------------ */

static void print_types(const type_t *types, uint32_t count, GString *text) {
  if (count > 1) g_string_append_c(text, '(');
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) g_string_append(text, ", ");
    type_print_mlir(&types[i], text);
  }
  if (count > 1) g_string_append_c(text, ')');
}

/* The module of a program that fits its declaration. */
static void print_module(printer_t *printer) {
  const program_t *program = printer->program;
  GString *text = printer->text;
  g_string_append(text, "module {\n  func.func @main(");
  for (uint32_t i = 0; i < program->operand_count; i++) {
    g_string_append_printf(text, "%s%%arg%u: ", i == 0 ? "" : ", ", i);
    type_print_mlir(&program->operands[i], text);
  }
  g_string_append(text, ") -> ");
  print_types(program->results, program->result_count, text);
  g_string_append(text, " {\n");
  for (uint16_t i = 0; i < program->operand_count; i++) printer_operand(printer, i, i);
  int results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = printer_result(printer, i, print_step(printer, printer->formula->results[i]));
  }
  g_string_append(text, "    return");
  for (uint32_t i = 0; i < program->result_count; i++) {
    g_string_append_printf(text, "%s%%v%d", i == 0 ? " " : ", ", results[i]);
  }
  g_string_append(text, " : ");
  for (uint32_t i = 0; i < program->result_count; i++) {
    if (i > 0) g_string_append(text, ", ");
    type_print_mlir(&program->results[i], text);
  }
  g_string_append(text, "\n  }\n}\n");
}

/* The steps' type: f32, unless a program has floats of f64. */
static const element_t *type_of_floats(const program_t *program) {
  const element_t *f64 = element_named("f64");
  bool has_f64 = false;
  for (uint32_t i = 0; i < program->operand_count; i++) {
    has_f64 |= program->operands[i].element == f64;
  }
  for (uint32_t i = 0; i < program->result_count; i++) {
    has_f64 |= program->results[i].element == f64;
  }
  return has_f64 ? f64 : element_named("f32");
}

/* What breaks the declaration has no meaning: it is printed as the call of an op by its name. */
void declared_print_mlir(const program_t *program, GString *out_text) {
  const op_constraint_t *broken = program_broken(program);
  if (broken != NULL || program_is_dynamic(program)) { /* Steps are broadcast to known sizes. */
    custom_call_print_mlir(program, out_text);
    return;
  }
  printer_t printer = {.program = program,
                       .declaration = declared_of(program),
                       .formula = &declared_of(program)->formulas[0],
                       .floats = type_of_floats(program),
                       .text = out_text};
  declared_bind(program, &printer.binding);
  for (uint32_t i = 0; i < DECLARED_STEPS_MAX; i++) printer.names[i] = -1;
  print_module(&printer);
}
