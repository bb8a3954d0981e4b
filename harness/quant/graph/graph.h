/* SPDX-License-Identifier: Apache-2.0 */
/* Plain, annotated and quantized models: values, and between them region ops ("logical kernels";
 * "Quantization region" of the RFC that quant.md names) and ops that stand in no region.  Text:
 * graph.md.  All of a graph lives in one arena. */
#ifndef ASSAY_QUANT_GRAPH_GRAPH_H
#define ASSAY_QUANT_GRAPH_GRAPH_H

#include "harness/model/case.h"
#include "harness/quant/spec/spec.h"

enum {
  QUANT_PORTS_MAX = 16, /* Inputs and outputs of one region together. */
  QUANT_NONE = -1,      /* No region. */
  QUANT_NAME_BYTES_MAX = 256,
  QUANT_SUBPROGRAM_BYTES_MAX = 240, /* Of its name: printing may add a number. */
  QUANT_CALL_DEPTH_MAX = 64,        /* Calls inside of calls. */
};

/* The kernel of a region that changes quantization parameters and nothing else: no ops inside, one
 * input, one output, and the same high-precision values on both. */
#define QUANT_RESCALE_KERNEL "rescale"

/* An input or an output of a region: inputs first, then outputs. */
typedef struct quant_port {
  uint32_t value;    /* Index of the value that it is attached to. */
  quant_spec_t spec; /* Of the region's input_specs and output_specs. */
} quant_port_t;

/* A tensor inside a region. */
typedef struct quant_inner {
  const char *name;
  type_t type;              /* High precision: unquantized. */
  const tensor_t *constant; /* Its data, or NULL. */
  quant_spec_t spec;        /* A constraint on it: kept, and never considered in quantization;
                             * OPEN of inputs, whose constraints are the port's. */
} quant_inner_t;

/* A high-precision op inside a region; operands and results are indices of inner tensors. */
typedef struct quant_op {
  program_t program;
  uint32_t operands[CASE_OPERANDS_MAX];
  uint32_t results[CASE_RESULTS_MAX];
} quant_op_t;

/* A region; or an op that stands in no region (`is_op`), which is held as a region of that one op:
 * ports without specs are its operands and results, `kernel` is the op's name, and no table has a
 * row for it.  An op has no name of its own: it is told by the value of its first result, and
 * `name` is what that is called where the op stands ("call/name" inside what a call made). */
typedef struct quant_region {
  const char *name; /* Unique among regions; "call/name" inside what a call made. */
  const char *kernel;
  bool is_op;
  uint32_t input_count;
  uint32_t output_count;
  const quant_port_t *ports; /* input_count + output_count of them. */
  uint32_t inner_count;
  const quant_inner_t *inners; /* The first input_count are the inputs. */
  uint32_t op_count;
  const quant_op_t *ops;   /* In an order in which they can be computed. */
  const uint32_t *returns; /* output_count indices of inner tensors. */
  int32_t call;            /* The call that it stands in by its name, or QUANT_NONE: set by
                            * quant_builder_finish(). */
} quant_region_t;

/* Where a value goes into a region. */
typedef struct quant_use {
  uint32_t region;
  uint32_t port; /* Below the region's input_count. */
} quant_use_t;

typedef struct quant_value {
  const char *name;         /* Unique; "call/name" inside what a call made, used there alone. */
  type_t type;              /* High precision: an unquantized type. */
  quant_spec_t spec;        /* The model's constraint on this tensor; OPEN unless of floats. */
  const tensor_t *constant; /* Its data, of type `type`; NULL of inputs and results. */
  int32_t producer;         /* Region, or QUANT_NONE of inputs and constants. */
  uint32_t producer_port;   /* Its port there, from input_count on. */
  uint32_t use_count;
  const quant_use_t *uses; /* In order of region and port. */
  bool is_output;          /* Of the graph. */
} quant_value_t;

/* A call of a subprogram.  Graphs hold what calls made, each its own copy, since different calls
 * may use different quantization parameters; copies that came out alike are printed once. */
typedef struct quant_call {
  const char *name;       /* Unique; "outer/inner" for a call inside a called subprogram. */
  const char *subprogram; /* Its name. */
  int32_t parent;         /* The call that it stands in by its name, or QUANT_NONE: set by
                           * quant_builder_finish(). */
  uint32_t argument_count;
  uint32_t result_count;
  const uint32_t *values;     /* At the call: arguments, then results. */
  const char *const *formals; /* What the subprogram calls them. */
} quant_call_t;

typedef struct quant_graph {
  const char *name;
  uint32_t value_count;
  const quant_value_t *values;
  uint32_t region_count;
  const quant_region_t *regions; /* In the order of their declaration. */
  uint32_t input_count;
  const uint32_t *inputs; /* Values, in the order of their declaration. */
  uint32_t output_count;
  const uint32_t *outputs;
  uint32_t call_count;
  const quant_call_t *calls;
} quant_graph_t;

/* Number of ports of a region. */
static inline uint32_t quant_port_count(const quant_region_t *region) {
  return region->input_count + region->output_count;
}

/* The constraint on a port: its own spec, or where that is open the spec of its value. */
const quant_spec_t *quant_port_constraint(const quant_graph_t *graph, const quant_port_t *port);

/* Whether a value may be quantized at all: the others (integers, booleans, complex numbers) stay as
 * they are, as if they were annotated so. */
static inline bool quant_value_is_float(const quant_value_t *value) {
  return value->type.element->kind == ELEMENT_FLOAT;
}

/* By what a region is told from others of its kind: its name; of an op in no region the name of the
 * value that its first result is. */
static inline const char *quant_region_key(const quant_graph_t *graph,
                                           const quant_region_t *region) {
  return region->is_op ? graph->values[region->ports[region->input_count].value].name
                       : region->name;
}

/* Depth of every region: 0 if no input is made by a region, else one more than the deepest of those
 * that make them.  region_count entries in the arena. */
const uint32_t *quant_graph_depths(const quant_graph_t *graph, arena_t *arena);

/* All regions by depth, then by quant_region_key(), regions before ops: an order that does not
 * depend on that of declaration, and in which every value is made before it is used. */
const uint32_t *quant_graph_order(const quant_graph_t *graph, arena_t *arena);

/* ---- Building (graph/build.c) ---------------------------------------------------------------- */

typedef struct quant_builder quant_builder_t;

/* What is added is copied, but for constants, ops and what types and specs point to, which must
 * live in `arena`.  Freed by quant_builder_finish(). */
quant_builder_t *quant_builder_new(const char *name, arena_t *arena);

/* Adds an input, a constant (`constant` not NULL), or a value that a region is going to make;
 * returns its index. */
typedef enum quant_value_role { QUANT_INPUT, QUANT_CONSTANT, QUANT_RESULT } quant_value_role_t;
uint32_t quant_builder_add_value(quant_builder_t *builder, quant_value_role_t role,
                                 const char *name, const type_t *type, const quant_spec_t *spec,
                                 const tensor_t *constant);
void quant_builder_add_output(quant_builder_t *builder, uint32_t value);
/* A rescale's inners and returns may be left out. */
uint32_t quant_builder_add_region(quant_builder_t *builder, const quant_region_t *region);

/* Adds an op that stands in no region: values of its operands and results in their order, at most
 * QUANT_PORTS_MAX together and one result at least.  `name` is as of quant_region_t; NULL: the
 * first result's value stands in the same call, and the op is called as it is.  The program is
 * copied; what it points to lives in the builder's arena. */
uint32_t quant_builder_add_op(quant_builder_t *builder, const char *name, const program_t *program,
                              const uint32_t *operands, const uint32_t *results);
uint32_t quant_builder_add_call(quant_builder_t *builder, const quant_call_t *call);

/* Links values to regions and checks all rules of graph.md: unique names, one producer for each
 * result, no cycle, specs that fit (quant_spec_check), ports that have the types of the inner
 * tensors, valid inner programs whose types are those of their tensors.  STATUS_INVALID names the
 * region, port or value and the rule.  Frees the builder in any case. */
status_t quant_builder_finish(quant_builder_t *builder, quant_graph_t *out_graph, failure_t *error);

/* The same graph without calls: what they made stays, as regions and values called "call.name" (or
 * "call.name.2" and so on, where that is taken).  Memory is the arena's, or the first graph's. */
status_t quant_graph_inline(const quant_graph_t *graph, arena_t *arena, quant_graph_t *out_graph,
                            failure_t *error);

/* ---- Text (graph/parse.c, graph/print.c, graph/mlir.c) --------------------------------------- */

/* Reads graph.md's text.  error->text names line and column. */
status_t quant_graph_parse(str_t text, arena_t *arena, quant_graph_t *out_graph, failure_t *error);

/* The canonical text: quant_graph_print(quant_graph_parse(t)) == t for what it prints.  Calls whose
 * copies are alike share a subprogram; the first copy keeps its name, the n-th different one is
 * called NAME.n. */
void quant_graph_print(const quant_graph_t *graph, GString *out_text);

/* A module with one function whose body is quant.region ops, as MLIR's quant dialect had them:
 * input_specs, output_specs (what quant_port_constraint() says, or the expressed type where that is
 * OPEN), logical_kernel, and the ops inside in generic form.  Calls stay replaced. */
void quant_graph_print_mlir(const quant_graph_t *graph, GString *out_text);

/* Whether two graphs say the same, whatever the order in which regions and values were declared:
 * names, types, specs, data, and what is inside of regions.  Of calls only the names are compared;
 * what they call is in the graph. */
bool quant_graph_equal(const quant_graph_t *a, const quant_graph_t *b);

#endif
