/* Operands of a dot_general as the oracle computes with them. */
#ifndef ASSAY_OPS_DOT_GENERAL_GATHER_H
#define ASSAY_OPS_DOT_GENERAL_GATHER_H

#include "oracles/exact/integer_question.h"
#include "oracles/exact/sum_question.h"
#include "oracles/ops/dot_general/dot_general.h"

/* Which result element a component belongs to, and which part of it it is. */
typedef struct dot_general_place {
  size_t batch;
  size_t row;
  size_t column;
  int part; /* 0 real, 1 imaginary. */
} dot_general_place_t;

dot_general_place_t dot_general_place(const case_t *instance, const dot_general_layout_t *layout,
                                      size_t component);

/* The question that one component of a float or complex dot_general asks; arrays in the arena. */
sum_question_t dot_general_sum_question(const case_t *instance, const dot_general_layout_t *layout,
                                        dot_general_place_t place, arena_t *arena);

/* The same for integers and booleans. */
integer_question_t dot_general_integer_question(const case_t *instance,
                                                const dot_general_layout_t *layout,
                                                dot_general_place_t place, arena_t *arena);

#endif
