/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a StableHLO module that is being printed: one dimension for each index that they run
 * along, in the order of the indices.  Private to this folder. */
#ifndef ASSAY_ORACLES_OPS_DECLARED_OP_PRINTER_H
#define ASSAY_ORACLES_OPS_DECLARED_OP_PRINTER_H

#include "oracles/ops/declared/declared.h"

typedef struct printer {
  const program_t *program;
  const declaration_t *declaration;
  const declared_formula_t *formula;
  binding_t binding;
  const element_t *floats;       /* The type of steps of floats; */
  const element_t *element;      /* and that of the step that is being printed. */
  uint32_t next;                 /* The number of the next value. */
  int names[DECLARED_STEPS_MAX]; /* Of the steps that were printed; -1 of others. */
  GString *text;
} printer_t;

/* The type of a value along the indices of `mask`; and its text. */
type_t printer_type(const printer_t *printer, uint32_t mask);
void printer_print_type(const printer_t *printer, const type_t *type);

/* Prints `%vN = "stablehlo.NAME"(...) PROPERTIES : types`, and returns N. */
int printer_unary(printer_t *printer, const char *name, int a, const char *properties,
                  const type_t *from, const type_t *to);
int printer_binary(printer_t *printer, const char *name, int a, int b, const type_t *type);

/* A value that was printed. */
typedef struct printed {
  int value;
  type_t type;
} printed_t;

/* Likewise of any number of operands, each of a type. */
int printer_op(printer_t *printer, const char *name, const char *properties, size_t count,
               const printed_t operands[], const type_t *result);

/* The type of a step's numbers. */
static inline const element_t *printer_element(const printer_t *printer, uint16_t step) {
  const element_t *type = printer->formula->steps[step].type;
  return type == NULL ? printer->floats : type;
}

/* The bits of the number, rounded once to the type of the step; an integer or boolean. */
int printer_number(printer_t *printer, double value);
int printer_integer(printer_t *printer, int64_t value);

/* The places in `to` of the indices in `from`: "array<i64: 0, 2>".  The caller frees it. */
char *printer_places(const printer_t *printer, uint32_t from, uint32_t to);

/* A value along `from` as one along `to`. */
int printer_broadcast(printer_t *printer, int value, uint32_t from, uint32_t to);

/* print_places.c: those of `value`, which runs along `from`, at the step's place along its index;
 * two values side by side along it; and those at the places that a value gives. */
int printer_pick(printer_t *printer, const step_t *step, int value, uint32_t from);
int printer_stack(printer_t *printer, const step_t *step, int a, int b);
int printer_gather(printer_t *printer, const step_t *step, int value, printed_t places);

/* print_scatter.c: `updates`, along the indices of "over" and all but that of the places which the
 * step has, scattered to places along `of_places`. */
int printer_scatter(printer_t *printer, const step_t *step, int operand, printed_t places,
                    uint32_t of_places, int updates);

/* print_quantized.c: floats `value` of the type of `from` as what is stored of them, of i32, by a
 * scale and a zero point along the same indices; a quantized operand as floats or, for
 * STEP_STORAGE, as what is stored, of a type without quantization; the scales or zero points that a
 * step is; and a value of the step's type within the storage range. */
int printer_unquantized(printer_t *printer, uint16_t operand, step_kind_t kind, type_t *out_type);
int printer_quantize(printer_t *printer, const step_t *step, printed_t value, int scale,
                     printed_t zero_point);
int printer_channels(printer_t *printer, const step_t *step);
int printer_clamp_stored(printer_t *printer, const quantization_t *range, int value,
                         const type_t *type);

/* An operand as the value of a step, and a value as a result. */
void printer_operand(printer_t *printer, uint16_t operand, uint32_t step);
int printer_result(printer_t *printer, uint32_t result, int value);

#endif
