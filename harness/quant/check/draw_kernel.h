/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of known kernels, drawn as text (graph.md): what a logical kernel is in high-precision
 * ops, with made-up weights.  Text, because then every drawn graph passes the parser too. */
#ifndef ASSAY_QUANT_CHECK_DRAW_KERNEL_H
#define ASSAY_QUANT_CHECK_DRAW_KERNEL_H

#include "harness/base/rng.h"
#include "harness/model/case.h"

enum { QUANT_DRAW_NAME_BYTES = 64 };

/* A named tensor: a value of a graph or a tensor inside a region. */
typedef struct quant_draw_tensor {
  char name[QUANT_DRAW_NAME_BYTES];
  type_t type; /* High precision. */
} quant_draw_tensor_t;

/* A region while it is drawn. */
typedef struct quant_region_draft {
  rng_t *rng;
  const char *name; /* Of the region: begins the names of its weights and results. */
  const quant_draw_tensor_t *operands; /* By their names inside. */
  uint32_t operand_count;
  bool with_specs;     /* Random specs on ports. */
  bool is_strange;     /* Weights and biases may hold infinities, rarely. */
  GString *outside;    /* Lines before the region: its weights and biases. */
  GString *ports;      /* Its "in" and "out" lines. */
  GString *body;       /* Its other lines. */
  GString *returns;    /* Names after "return". */
  uint32_t name_count; /* Of tensors inside that are named so far. */
  uint32_t result_count;
  quant_draw_tensor_t results[2]; /* Values that the region makes. */
} quant_region_draft_t;

typedef struct quant_draw_kernel {
  const char *name;
  /* Its ports for tables, with the words that a row may have for it: "input weights:constant:3
   * bias:optional:0 -> output" (a number is a dimension along which scales may differ). */
  const char *ports;
  uint32_t operands_min; /* Values of one type that it takes, weights left aside. */
  uint32_t operands_max;
  uint32_t rank_min; /* Of these. */
  uint32_t rank_max;
  /* Writes ports and body and fills in the results.  Operands have at least one element. */
  void (*draw)(quant_region_draft_t *draft);
} quant_draw_kernel_t;

/* The rows of draw_kernels.def, ended by one without a name. */
const quant_draw_kernel_t *quant_draw_kernels(void);
const quant_draw_kernel_t *quant_draw_kernel_find(str_t name); /* Or NULL. */

/* Draws one region: appends its weights and the region to out_text, gives what it makes.  `kernel`
 * says what is inside, `kernel_name` what it is called.  Returns the number of results. */
typedef struct quant_region_request {
  const quant_draw_kernel_t *kernel;
  const char *kernel_name;
  const char *name; /* Unique in the graph, as are "NAME.weights", "NAME.bias", "NAME.out0", ... */
  const quant_draw_tensor_t *operands; /* Of one type, as many as the kernel takes. */
  uint32_t operand_count;
  bool with_specs;
  bool is_strange;
} quant_region_request_t;
uint32_t quant_draw_region(rng_t *rng, const quant_region_request_t *request, GString *out_text,
                           quant_draw_tensor_t out_results[2]);

/* ---- For the bodies (draw_body_*.c) ---------------------------------------------------------- */

#define KERNEL(name, ports, operands_min, operands_max, rank_min, rank_max) \
  void draw_body_##name(quant_region_draft_t *draft);
#include "harness/quant/check/draw_kernels.def"
#undef KERNEL

/* A constant as further input of the region, of numbers k/64 with |k| <= 128. */
quant_draw_tensor_t draft_weights(quant_region_draft_t *draft, const char *word,
                                  const type_t *type);

/* A constant inside, all of whose elements are `value` rounded to its element. */
quant_draw_tensor_t draft_constant(quant_region_draft_t *draft, const type_t *type, double value);

/* An op inside: its name, its attributes as the case line has them (or ""), its operands, and the
 * type of its only result, which is returned. */
quant_draw_tensor_t draft_op(quant_region_draft_t *draft, const char *op, const char *attributes,
                             const quant_draw_tensor_t *const *operands, const type_t *type);
/* Ends the list of operands. */
#define DRAFT_OPERANDS(...) ((const quant_draw_tensor_t *const[]){__VA_ARGS__, NULL})

/* A scalar of the value, broadcast to the type. */
quant_draw_tensor_t draft_splat(quant_region_draft_t *draft, const type_t *type, double value);

/* `tensor` plus a bias along its last dimension: a further input of the region. */
quant_draw_tensor_t draft_add_bias(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor);

/* The maximum of `tensor` and 0. */
quant_draw_tensor_t draft_relu(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor);

/* Makes the tensor inside a result of the region. */
void draft_return(quant_region_draft_t *draft, const quant_draw_tensor_t *tensor);

#endif
