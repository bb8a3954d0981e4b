/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the row of stablehlo.convolution: see the members of op_t of the same names. */
#ifndef ASSAY_ORACLES_OPS_CONVOLUTION_OP_OP_H
#define ASSAY_ORACLES_OPS_CONVOLUTION_OP_OP_H

#include "harness/model/op.h"
#include "oracles/ops/convolution/convolution.h"

extern const op_t convolution_op;
extern const op_constraint_t convolution_constraints[];
extern const op_constraint_t convolution_contract_constraints[];

status_t convolution_parse_attributes(scan_t *scan, arena_t *arena, program_t *inout_program,
                                      failure_t *error);
void convolution_print_attributes(const program_t *program, GString *out_text);
void convolution_draw(rng_t *rng, const draw_limits_t *limits, arena_t *arena,
                      program_t *out_program);
void convolution_draw_edges(rng_t *rng, case_t *inout_case);
void convolution_print_mlir(const program_t *program, GString *out_text);

/* "DEFAULT,HIGHEST": each name with `prefix` and `suffix` around it. */
void convolution_print_precisions(const convolution_attributes_t *attributes, const char *prefix,
                                  const char *suffix, const char *separator, GString *out_text);

/* The letters of batch and feature in dimension numbers: "bf", or "oi" of the kernel. */
typedef struct convolution_letters {
  char batch;
  char feature;
} convolution_letters_t;

/* "[b,0,1,f]", with `separator` between places: what each dimension of the tensor is.  A place that
 * is nothing is "?", one that is several things is "b+0". */
void convolution_print_places(const convolution_numbers_t *numbers, convolution_letters_t letters,
                              const char *separator, GString *out_text);

/* The sizes of the result that C25 asks for, as its dimension numbers order them.  The program
 * obeys everything else about shapes.  False if a size exceeds TYPE_ELEMENTS_MAX. */
bool convolution_result_sizes(const program_t *program, int64_t out_sizes[TYPE_RANK_MAX]);

#endif
