/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a declared op as a StableHLO module of known ops: the first formula, and of two
 * ways to compute the same the first.  Values have one dimension for each index that they run
 * along, in the order of the indices.  Numbers of 16 bits are computed with in f32. */
#include <inttypes.h>

#include "harness/kinds/custom_call.h"
#include "oracles/ops/declared/declared.h"

typedef struct printer {
  const program_t *program;
  const declaration_t *declaration;
  const declared_formula_t *formula;
  binding_t binding;
  const element_t *element;      /* Of the steps. */
  uint32_t next;                 /* The number of the next value. */
  int names[DECLARED_STEPS_MAX]; /* Of the steps that were printed; -1 of others. */
  GString *text;
} printer_t;

static type_t type_of(const printer_t *printer, uint32_t mask) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((mask >> i & 1) != 0) dims[rank++] = (int64_t)printer->binding.extent[i];
  }
  return type_make(printer->element, rank, dims);
}

static void print_type(const printer_t *printer, const type_t *type) {
  type_print_mlir(type, printer->text);
}

/* `%N = "stablehlo.NAME"(%a) PROPERTIES : (from) -> to`; returns N. */
static int print_unary(printer_t *printer, const char *name, int a, const char *properties,
                       const type_t *from, const type_t *to) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(%%v%d)%s : (", made, name, a,
                         properties);
  print_type(printer, from);
  g_string_append(printer->text, ") -> ");
  print_type(printer, to);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_binary(printer_t *printer, const char *name, int a, int b, const type_t *type) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"stablehlo.%s\"(%%v%d, %%v%d) : (", made,
                         name, a, b);
  print_type(printer, type);
  g_string_append(printer->text, ", ");
  print_type(printer, type);
  g_string_append(printer->text, ") -> ");
  print_type(printer, type);
  g_string_append_c(printer->text, '\n');
  return made;
}

/* The bits of the number, rounded once to the type of the steps. */
static int print_number(printer_t *printer, double value) {
  int made = (int)printer->next++;
  const format_t *format = printer->element->format;
  type_t scalar = type_make(printer->element, 0, NULL);
  g_string_append_printf(printer->text,
                         "    %%v%d = \"stablehlo.constant\"() <{value = dense<0x%0*" PRIX64 "> : ",
                         made, printer->element->bits / 4, format_from_double(format, value));
  print_type(printer, &scalar);
  g_string_append(printer->text, "}> : () -> ");
  print_type(printer, &scalar);
  g_string_append_c(printer->text, '\n');
  return made;
}

/* The places in `to` of the indices in `from`: "array<i64: 0, 2>". */
static char *list_places(const printer_t *printer, uint32_t from, uint32_t to) {
  g_autoptr(GString) list = g_string_new(NULL);
  uint32_t place = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((to >> i & 1) == 0) continue;
    if ((from >> i & 1) != 0)
      g_string_append_printf(list, "%s%u", list->len > 0 ? ", " : "", place);
    place++;
  }
  return g_strdup_printf(list->len > 0 ? "array<i64: %s>" : "array<i64%s>", list->str);
}

static int broadcast(printer_t *printer, int value, uint32_t from, uint32_t to) {
  if (from == to) return value;
  g_autofree char *places = list_places(printer, from, to);
  g_autofree char *properties = g_strdup_printf(" <{broadcast_dimensions = %s}>", places);
  type_t narrow = type_of(printer, from), wide = type_of(printer, to);
  return print_unary(printer, "broadcast_in_dim", value, properties, &narrow, &wide);
}

/* ---- Operands and results -------------------------------------------------------------------- */

/* The sizes of a tensor's indices, in its own order, and the place of each index in that. */
static type_t indexed_type(const printer_t *printer, const declared_tensor_t *tensor,
                           uint8_t out_order[TYPE_RANK_MAX]) {
  int64_t dims[TYPE_RANK_MAX];
  uint32_t rank = 0;
  for (uint32_t d = 0; d < tensor->count; d++) {
    for (uint32_t i = 0; i < tensor->dimensions[d].count; i++) {
      out_order[rank] = tensor->dimensions[d].indices[i];
      dims[rank] = (int64_t)printer->binding.extent[out_order[rank]];
      rank++;
    }
  }
  return type_make(printer->element, rank, dims);
}

static char *permutation_from(const uint8_t *order, uint32_t rank, bool is_inverse) {
  g_autoptr(GString) list = g_string_new(NULL);
  for (uint32_t place = 0; place < rank; place++) {
    uint32_t source = 0;
    for (uint32_t j = 0; j < rank; j++) { /* Of index number `place` among all, ascending. */
      uint32_t below_j = 0, below_place = 0;
      for (uint32_t k = 0; k < rank; k++) {
        below_j += order[k] < order[j];
        below_place += order[k] < order[place];
      }
      if (!is_inverse && below_j == place) source = j;
      if (is_inverse && j == place) source = below_place;
    }
    g_string_append_printf(list, "%s%u", place > 0 ? ", " : "", source);
  }
  return g_strdup_printf(
      rank > 0 ? " <{permutation = array<i64: %s>}>" : " <{permutation = array<i64%s>}>",
      list->str);
}

static bool is_ascending(const uint8_t *order, uint32_t rank) {
  for (uint32_t i = 1; i < rank; i++) {
    if (order[i] < order[i - 1]) return false;
  }
  return true;
}

static void print_operand(printer_t *printer, uint16_t operand, uint32_t step) {
  const declared_tensor_t *tensor = &printer->declaration->operands[operand];
  type_t type = printer->program->operands[operand];
  g_string_append_printf(printer->text, "    %%v%u = \"stablehlo.reshape\"(%%arg%u) : (",
                         printer->next, operand);
  uint8_t order[TYPE_RANK_MAX];
  type_t indexed = indexed_type(printer, tensor, order);
  type_t given = indexed;
  given.element = type.element;
  print_type(printer, &type);
  g_string_append(printer->text, ") -> ");
  print_type(printer, &given);
  g_string_append_c(printer->text, '\n');
  int value = (int)printer->next++;
  if (given.element != indexed.element) {
    value = print_unary(printer, "convert", value, "", &given, &indexed);
  }
  type_t ascending = type_of(printer, tensor->mask);
  if (!is_ascending(order, indexed.rank)) {
    g_autofree char *permutation = permutation_from(order, indexed.rank, false);
    value = print_unary(printer, "transpose", value, permutation, &indexed, &ascending);
  }
  printer->names[step] = value;
}

static int print_result(printer_t *printer, uint32_t result, int value) {
  const declared_tensor_t *tensor = &printer->declaration->results[result];
  uint8_t order[TYPE_RANK_MAX];
  type_t indexed = indexed_type(printer, tensor, order);
  type_t ascending = type_of(printer, tensor->mask);
  if (!is_ascending(order, indexed.rank)) {
    g_autofree char *permutation = permutation_from(order, indexed.rank, true);
    value = print_unary(printer, "transpose", value, permutation, &ascending, &indexed);
  }
  type_t type = printer->program->results[result];
  if (type.element != indexed.element) {
    type_t from = indexed;
    indexed.element = type.element;
    value = print_unary(printer, "convert", value, "", &from, &indexed);
  }
  return print_unary(printer, "reshape", value, "", &indexed, &type);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static int print_fold(printer_t *printer, const char *name, double start, int value, uint32_t from,
                      uint32_t over) {
  int init = print_number(printer, start), made = (int)printer->next++;
  type_t wide = type_of(printer, from), narrow = type_of(printer, from & ~over);
  type_t scalar = type_make(printer->element, 0, NULL);
  g_autofree char *places = list_places(printer, over, from);
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
  print_type(printer, &wide);
  g_string_append_printf(printer->text, ", %s) -> ", element->str);
  print_type(printer, &narrow);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_erf(printer_t *printer, int value, const type_t *type) {
  int made = (int)printer->next++;
  g_string_append_printf(printer->text, "    %%v%d = \"chlo.erf\"(%%v%d) : (", made, value);
  print_type(printer, type);
  g_string_append(printer->text, ") -> ");
  print_type(printer, type);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_function(printer_t *printer, const step_t *step, int value, const type_t *type) {
  static const char *const names[ELEMENTARY_COUNT] = {
      [ELEMENTARY_exp] = "exponential", [ELEMENTARY_log] = "log", [ELEMENTARY_tanh] = "tanh"};
  if (step->function == ELEMENTARY_erf) return print_erf(printer, value, type);
  if (step->function == ELEMENTARY_exp2) {
    int two = broadcast(printer, print_number(printer, 2), 0, step->mask);
    return print_binary(printer, "power", two, value, type);
  }
  return print_unary(printer, names[step->function], value, "", type, type);
}

/* sum(exp(a - max(a))) */
static int print_online_sum(printer_t *printer, int a, uint32_t mask, uint32_t over) {
  type_t type = type_of(printer, mask);
  int largest = print_fold(printer, "maximum", -(double)INFINITY, a, mask, over);
  int shifted =
      print_binary(printer, "subtract", a, broadcast(printer, largest, mask & ~over, mask), &type);
  int exponentials = print_unary(printer, "exponential", shifted, "", &type, &type);
  return print_fold(printer, "add", 0, exponentials, mask, over);
}

static int print_pick(printer_t *printer, const step_t *step, int value, uint32_t from) {
  g_autoptr(GString) start = g_string_new(NULL), limit = g_string_new(NULL),
                     strides = g_string_new(NULL);
  type_t wide = type_of(printer, from), slice = wide, narrow = type_of(printer, step->mask);
  uint32_t place = 0;
  for (uint32_t i = 0; i < printer->declaration->index_count; i++) {
    if ((from >> i & 1) == 0) continue;
    const char *comma = place > 0 ? ", " : "";
    bool is_picked = i == step->index;
    if (is_picked) slice.dims[place] = 1;
    g_string_append_printf(start, "%s%" PRId64, comma, is_picked ? step->place : 0);
    g_string_append_printf(limit, "%s%" PRId64, comma,
                           is_picked ? step->place + 1 : wide.dims[place]);
    g_string_append_printf(strides, "%s1", comma);
    place++;
  }
  g_autofree char *properties = g_strdup_printf(
      " <{start_indices = array<i64: %s>, limit_indices = array<i64: %s>, strides = array<i64: "
      "%s>}>",
      start->str, limit->str, strides->str);
  int cut = print_unary(printer, "slice", value, properties, &wide, &slice);
  return print_unary(printer, "reshape", cut, "", &slice, &narrow);
}

static int print_stack(printer_t *printer, const step_t *step, int a, int b) {
  uint32_t bit = 1U << step->index, dimension = 0;
  type_t without = type_of(printer, step->mask & ~bit), whole = type_of(printer, step->mask);
  for (uint32_t i = 0; i < step->index; i++) dimension += step->mask >> i & 1;
  type_t part = whole;
  part.dims[dimension] = 1;
  a = print_unary(printer, "reshape", a, "", &without, &part);
  b = print_unary(printer, "reshape", b, "", &without, &part);
  int made = (int)printer->next++;
  g_string_append_printf(printer->text,
                         "    %%v%d = \"stablehlo.concatenate\"(%%v%d, %%v%d) <{dimension = %u : "
                         "i64}> : (",
                         made, a, b, dimension);
  print_type(printer, &part);
  g_string_append(printer->text, ", ");
  print_type(printer, &part);
  g_string_append(printer->text, ") -> ");
  print_type(printer, &whole);
  g_string_append_c(printer->text, '\n');
  return made;
}

static int print_step(printer_t *printer, uint16_t step);

/* A step as a value that runs along `mask`. */
static int print_along(printer_t *printer, uint16_t step, uint32_t mask) {
  int value = print_step(printer, step);
  return broadcast(printer, value, printer->formula->steps[step].mask, mask);
}

static int print_combined(printer_t *printer, const step_t *step) {
  const uint32_t from = printer->formula->steps[step->a].mask;
  int a = print_step(printer, step->a);
  switch (step->kind) {
    case STEP_SUM:
      return print_fold(printer, "add", 0, a, from, step->over);
    case STEP_LARGEST:
      return print_fold(printer, "maximum", -(double)INFINITY, a, from, step->over);
    case STEP_ONLINE_SUM:
      return print_online_sum(printer, a, from, step->over);
    case STEP_PICK:
      return print_pick(printer, step, a, from);
    default: { /* STEP_SHARES */
      type_t type = type_of(printer, from);
      int sum = print_fold(printer, "add", 0, a, from, step->over);
      return print_binary(printer, "divide", a, broadcast(printer, sum, from & ~step->over, from),
                          &type);
    }
  }
}

static int make_step(printer_t *printer, const step_t *step) {
  static const char *const names[] = {
      [STEP_ADD] = "add",           [STEP_SUBTRACT] = "subtract",
      [STEP_MULTIPLY] = "multiply", [STEP_DIVIDE] = "divide",
      [STEP_MAXIMUM] = "maximum",   [STEP_NEGATE] = "negate",
      [STEP_SQUARE_ROOT] = "sqrt",  [STEP_INVERSE_SQUARE_ROOT] = "rsqrt"};
  type_t type = type_of(printer, step->mask);
  switch (step->kind) {
    case STEP_NUMBER:
      return print_number(printer, g_ascii_strtod(step->decimal, NULL));
    case STEP_ATTRIBUTE:
      return print_number(printer, declared_number(printer->program, step->a));
    case STEP_COUNT:
      return print_number(printer, (double)printer->binding.extent[step->index]);
    case STEP_NEGATE:
    case STEP_SQUARE_ROOT:
    case STEP_INVERSE_SQUARE_ROOT:
      return print_unary(printer, names[step->kind], print_step(printer, step->a), "", &type,
                         &type);
    case STEP_FUNCTION:
      return print_function(printer, step, print_step(printer, step->a), &type);
    case STEP_STORED:
    case STEP_EITHER:
      return print_along(printer, step->a, step->mask);
    case STEP_STACK: {
      uint32_t mask = step->mask & ~(1U << step->index);
      int a = print_along(printer, step->a, mask);
      return print_stack(printer, step, a, print_along(printer, step->b, mask));
    }
    case STEP_ADD:
    case STEP_SUBTRACT:
    case STEP_MULTIPLY:
    case STEP_DIVIDE:
    case STEP_MAXIMUM: {
      int a = print_along(printer, step->a, step->mask);
      int b = print_along(printer, step->b, step->mask);
      return print_binary(printer, names[step->kind], a, b, &type);
    }
    default:
      return print_combined(printer, step);
  }
}

static int print_step(printer_t *printer, uint16_t step) {
  if (printer->names[step] < 0) {
    printer->names[step] = make_step(printer, &printer->formula->steps[step]);
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
  for (uint16_t i = 0; i < program->operand_count; i++) print_operand(printer, i, i);
  int results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < program->result_count; i++) {
    results[i] = print_result(printer, i, print_step(printer, printer->formula->results[i]));
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

/* What breaks the declaration has no meaning: it is printed as the call of an op by its name. */
void declared_print_mlir(const program_t *program, GString *out_text) {
  const op_constraint_t *broken = program_broken(program);
  if (broken != NULL) {
    custom_call_print_mlir(program, out_text);
    return;
  }
  printer_t printer = {.program = program,
                       .declaration = declared_of(program),
                       .formula = &declared_of(program)->formulas[0],
                       .element = program->operands[0].element,
                       .text = out_text};
  if (printer.element->bits == 16) printer.element = element_named("f32");
  declared_bind(program, &printer.binding);
  for (uint32_t i = 0; i < DECLARED_STEPS_MAX; i++) printer.names[i] = -1;
  print_module(&printer);
}
