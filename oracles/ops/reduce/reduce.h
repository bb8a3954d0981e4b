/* stablehlo.reduce: its attributes, and where the terms of each result element lie.
 * A program has N inputs, then N initial values as operands, and N results; all inputs have one
 * shape, so one reduce_slices_t serves them all. */
#ifndef ASSAY_OPS_REDUCE_H
#define ASSAY_OPS_REDUCE_H

#include "harness/model/case.h"
#include "harness/model/dimension_list.h"

typedef enum reduce_body {
#define REDUCE_BODY(name, inputs, domain, summary) REDUCE_##name,
#include "oracles/ops/reduce/bodies.def"
#undef REDUCE_BODY
  REDUCE_BODY_COUNT
} reduce_body_t;

/* The accumulation types on which a body is defined.  On booleans add and maximum are OR, multiply
 * and minimum are AND, as StableHLO's elementwise ops define it. */
typedef enum reduce_domain {
  REDUCE_DOMAIN_ANY,     /* Booleans, integers, floats, complex numbers. */
  REDUCE_DOMAIN_ORDERED, /* Not complex numbers. */
  REDUCE_DOMAIN_BITS,    /* Booleans and integers. */
  REDUCE_DOMAIN_ARG,     /* An integer or float value and an integer index, neither promoted. */
  REDUCE_DOMAIN_COUNT,   /* A value of any type and an integer count, summed independently. */
} reduce_domain_t;

/* A row of bodies.def. */
typedef struct reduce_body_row {
  const char *name;
  uint32_t inputs;
  reduce_domain_t domain;
  const char *summary;
} reduce_body_row_t;

extern const reduce_body_row_t reduce_body_table[REDUCE_BODY_COUNT];

typedef struct reduce_attributes {
  reduce_body_t body;
  dimension_list_t dimensions; /* In any order, which means nothing. */
} reduce_attributes_t;

static inline const reduce_attributes_t *reduce_attributes(const program_t *program) {
  return program->attributes;
}

/* N of a valid program. */
static inline uint32_t reduce_input_count(const program_t *program) {
  return program->operand_count / 2;
}

/* The operand that holds the initial value of input `input`. */
static inline uint32_t reduce_init_operand(const program_t *program, uint32_t input) {
  return reduce_input_count(program) + input;
}

/* The dimensions of the inputs that stay, ascending: those of the results. */
dimension_list_t reduce_kept_dimensions(const program_t *program);

/* The dimensions of the inputs that go, ascending, whatever the order of the attribute. */
dimension_list_t reduce_reduced_dimensions(const program_t *program);

/* The terms of result element `output`, in the specification's order, are the input elements
 * output_base[output] + term_offset[term] for term = 0..term_count-1 (before conversion to the
 * accumulation type, which is the element type of the result). */
typedef struct reduce_slices {
  size_t output_count;
  size_t term_count;         /* 0 for empty slices; 0 also if there is no output. */
  const size_t *output_base; /* output_count of them. */
  const size_t *term_offset; /* term_count of them. */
} reduce_slices_t;

/* The slices of a valid program; the arrays live in the arena. */
reduce_slices_t reduce_slices_make(const program_t *program, arena_t *arena);

#endif
