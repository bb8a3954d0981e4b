/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a graph as it was read: blocks (the graph and its subprograms) of named values,
 * regions and calls, before subprograms are put in the place of their calls.  Shared by the files
 * of the parser alone.  Names are interned: equal ones have the same address. */
#ifndef ASSAY_QUANT_GRAPH_TEXT_H
#define ASSAY_QUANT_GRAPH_TEXT_H

#include "harness/quant/graph/parts.h"

enum {
  GRAPH_TEXT_BYTES_MAX = 1 << 30,
  GRAPH_EXPANDED_REGIONS_MAX = 1000000, /* With calls replaced. */
  GRAPH_EXPANDED_PARTS_MAX = 8000000,   /* Values, ports, tensors inside and calls together. */
};

/* Where a word stands, both from 1. */
typedef struct position {
  uint32_t line;
  uint32_t column;
} position_t;

/* A name that is used, to be looked up when its block is complete. */
typedef struct named {
  const char *name;
  position_t position;
  uint32_t index; /* Of the value in its block, once looked up. */
} named_t;

typedef enum block_value_kind {
  BLOCK_INPUT,
  BLOCK_CONSTANT,
  BLOCK_ARGUMENT, /* Of a subprogram: the caller's value. */
  BLOCK_MADE,     /* By a region. */
  BLOCK_CALLED,   /* By a call; its type is known once the subprogram is. */
} block_value_kind_t;

typedef struct block_value {
  const char *name;
  position_t position;
  block_value_kind_t kind;
  bool is_returned;    /* By a subprogram: it is the caller's value. */
  bool is_constrained; /* A line of its own gives `spec`. */
  type_t type;         /* element is NULL while unknown. */
  quant_spec_t spec;
  const tensor_t *constant;
} block_value_t;

typedef struct block_region {
  position_t position;
  quant_region_t region; /* ports[].value are filled in when the block is complete ... */
  quant_port_t *ports;   /* ... the same array, to be written. */
  quant_inner_t *inners; /* Types of inputs likewise. */
  const named_t *port_names;
} block_region_t;

typedef struct block_call {
  const char *name;
  position_t position;
  const char *subprogram;
  uint32_t callee; /* Block. */
  uint32_t argument_count;
  uint32_t result_count;
  named_t *values; /* Arguments, then results. */
} block_call_t;

/* `value NAME SPEC` */
typedef struct block_constraint {
  named_t value;
  quant_spec_t spec;
} block_constraint_t;

typedef struct block {
  const char *name; /* Of the graph or subprogram. */
  position_t position;
  bool is_subprogram;
  GHashTable *index;   /* Interned name -> index of value + 1. */
  GHashTable *names;   /* Interned names of regions and calls, "region x" apart from "call x". */
  GArray *values;      /* block_value_t */
  GArray *regions;     /* block_region_t */
  GArray *calls;       /* block_call_t */
  GArray *constraints; /* block_constraint_t */
  GArray *results;     /* named_t: a subprogram's results, the graph's outputs. */
  uint32_t argument_count; /* The first values of a subprogram. */
  bool is_open;            /* While its types are found: meeting it again is recursion. */
  bool is_resolved;
  uint32_t depth;        /* Of calls inside of calls. */
  uint64_t region_total; /* With calls replaced; saturated. */
  uint64_t part_total;
} block_t;

typedef struct graph_parser {
  arena_t *arena;          /* Of the graph. */
  arena_t scratch;         /* Of what is here. */
  GStringChunk *names;     /* Interned. */
  GPtrArray *blocks;       /* block_t *, the graph first. */
  GHashTable *subprograms; /* Interned name -> index of block; the graph's, 0, is none. */
  block_t *block;          /* That lines now belong to. */
  uint32_t open_count;     /* Blocks whose types are being found. */
  scan_t scan;             /* The line, without comment and trailing blanks. */
  uint32_t line;
  const char *rest; /* Of the text, after the line. */
  const char *end;
  GArray *value_positions; /* position_t, of what the builder was given. */
  GArray *region_positions;
  GArray *call_positions;
} graph_parser_t;

/* ---- Lines and words (graph/parse_line.c) ---------------------------------------------------- */

/* Goes on to the next line that says something; false at the end of the text. */
status_t graph_next_line(graph_parser_t *parser, bool *out_is_line, failure_t *error);

/* Fails at a position: "line 3, column 5: ...". */
status_t graph_fail(position_t position, failure_t *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What is next in the line. */
position_t graph_position(const graph_parser_t *parser);

/* Passes on what a scanner of the line said, with the line in front. */
status_t graph_pass(const graph_parser_t *parser, status_t status, const failure_t *reason,
                    failure_t *error);

/* Each skips blanks first.  A word is what accept() and keyword() are given: a keyword ends before
 * a blank or at the end of the line. */
void graph_skip_blanks(graph_parser_t *parser);
bool graph_at_end(graph_parser_t *parser);
bool graph_accept(graph_parser_t *parser, const char *word);
bool graph_keyword(graph_parser_t *parser, const char *word);
status_t graph_expect(graph_parser_t *parser, const char *word, failure_t *error);
status_t graph_expect_end(graph_parser_t *parser, failure_t *error);
status_t graph_take_name(graph_parser_t *parser, named_t *out_name, failure_t *error);
status_t graph_take_type(graph_parser_t *parser, type_t *out_type, failure_t *error);

/* A spec, or an open one at the end of the line and before '='. */
status_t graph_take_spec(graph_parser_t *parser, quant_spec_t *out_spec, failure_t *error);

/* Names with commas between them, at least one, appended to a GArray of named_t. */
status_t graph_take_names(graph_parser_t *parser, GArray *names, failure_t *error);

/* "=" and data up to the end of the line. */
status_t graph_take_data(graph_parser_t *parser, const type_t *type, const tensor_t **out_tensor,
                         failure_t *error);

/* A copy of an array in the scratch arena. */
void *graph_keep(graph_parser_t *parser, GArray *array);

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Declares a value in the present block. */
status_t graph_declare(graph_parser_t *parser, const named_t *name, const block_value_t *value,
                       failure_t *error);

/* "region NAME KERNEL", after the keyword, up to its "end" (graph/parse_region.c). */
status_t graph_parse_region(graph_parser_t *parser, position_t position, failure_t *error);

/* NAME {"," NAME} "=" OP "(" NAMES ")" ATTRIBUTES TYPES "->" TYPES, up to the end of the line:
 * names of results and operands are appended, as many as the program has (graph/parse_op.c). */
status_t graph_take_op(graph_parser_t *parser, position_t position, GArray *results,
                       GArray *operands, program_t *out_program, failure_t *error);

/* "op ...", after the keyword: an op in no region. */
status_t graph_parse_op(graph_parser_t *parser, position_t position, failure_t *error);

/* Names of regions and calls in the present block. */
status_t graph_claim(graph_parser_t *parser, const char *kind, const named_t *name,
                     failure_t *error);

/* ---- Calls (graph/calls.c) ------------------------------------------------------------------- */

/* Finds the types of all values and refuses what cannot be expanded. */
status_t graph_resolve(graph_parser_t *parser, failure_t *error);

/* Adds the graph to a builder, each call as a copy of its subprogram. */
status_t graph_expand(graph_parser_t *parser, quant_builder_t *builder, failure_t *error);

/* ---- Data (graph/data.c) --------------------------------------------------------------------- */

/* "[0.5, -1.0]" or "0x3f000000": see graph.md. */
status_t graph_data_parse(scan_t *scan, const type_t *type, arena_t *arena,
                          const tensor_t **out_tensor, failure_t *error);
void graph_data_print(const tensor_t *tensor, GString *out_text);

#endif
