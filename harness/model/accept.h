/* SPDX-License-Identifier: Apache-2.0 */
/* What the oracle says of a case: a fast accept set for all elements of a result at once, and an
 * answer for one element, which is the last word.
 *
 * The fast set may only be too small: a value that it holds conforms.  Whatever it does not hold,
 * the judge asks about.  So the fast side can use certified arithmetic and stay simple, and
 * every divergence has been confirmed by the exact side. */
#ifndef ASSAY_MODEL_ACCEPT_H
#define ASSAY_MODEL_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/model/case.h"
#include "harness/model/contract.h"

/* Of a result that has a sample (accept_t.sampled), so many components are asked about one by one,
 * or accept_t.asked_max where that is not 0; of what is asked beyond that, only those in the
 * sample. */
enum { ACCEPT_ASKED_MAX = 8192 };

/* What a float may be beside the numbers of its intervals. */
typedef enum accept_special {
  ACCEPT_NAN = 1,
  ACCEPT_POSITIVE_INFINITY = 2,
  ACCEPT_NEGATIVE_INFINITY = 4,
  ACCEPT_NEGATIVE_ZERO = 8,
} accept_special_t;

/* Fast accept set of one result tensor.  Arrays have one entry per component
 * (type_component_count), live in the case's arena, and may be NULL where noted. */
typedef struct accept {
  size_t count;
  /* Patterns: if not NULL, component i surely conforms if its pattern equals bits[i]. */
  const uint64_t *bits;
  /* If not NULL: a finite value v (not -0) surely conforms if low[i] <= v <= high[i]; no v does
   * where low[i] > high[i].  Of floats, or of integers of 32 bits at the most. */
  const double *low;
  const double *high;
  /* A second such interval beside a first one, or NULL: operands of a dot product may be split in
   * more than one way. */
  const double *other_low;
  const double *other_high;
  const format_t *grid; /* If not NULL: of those only numbers of this format. */
  /* Floats, if not NULL: a set of accept_special_t that component i may surely be. */
  const uint8_t *specials;
  /* Floats, if not NULL: x*, rounded to binary64 (correctly, for sums), for measuring errors; NaN
   * where x* is not finite or not known here.  reference_tail, if not NULL, is x* - reference
   * rounded. */
  const double *reference;
  const double *reference_tail;
  /* Floats, if not NULL: sum of |terms| (sum of |a_i b_i|), at most a factor 1 + 2^-10 too large;
   * NaN where that is not measured, which is_rough permits.  Of composite ops, which have no such
   * sum, the permitted error. */
  const double *magnitude;
  /* Asked for by oracle_call_t.may_be_rough: the set may be smaller than it could be, and
   * |x* - reference| is at most rough_error * sum of |terms|. */
  bool is_rough;
  double rough_error;
  /* The permitted error E = bound_factor * magnitude + bound_offset, for the slack; and u = 2^-p of
   * the accumulation type, for the backward error |err| / (u * magnitude), 0 if there is none. */
  double bound_factor;
  double bound_offset;
  double unit_roundoff;
  bool measures_inside; /* Those measures hold of components inside the set; ask about others. */
  /* If not NULL: nonzero where nothing above is known of component i: always ask. */
  const uint8_t *decide;
  size_t treeless_count; /* Sums of few terms that are judged by their bound, not by their trees. */
  const uint8_t *treeless; /* Nonzero in these; NULL: there are none, or nobody knows which. */
  /* If not NULL: component i has to have the pattern of component twin[i], or to be asked about. */
  const size_t *twin;
  /* Of results with so many components that asking about all would take too long: nonzero in those
   * of a sample, which so many random draws chose (oracles/sample.h).  NULL: there is none. */
  const uint8_t *sampled;
  uint64_t sample_draws;
  size_t asked_max;
  bool leaves_out; /* No component outside the sample is asked about if nothing is known of it. */
} accept_t;

static inline size_t accept_asked_max(const accept_t *accept) {
  return accept->asked_max == 0 ? ACCEPT_ASKED_MAX : accept->asked_max;
}

/* Whether the set surely holds component `component` with that pattern. */
bool accept_holds(const accept_t *accept, const element_t *element, size_t component,
                  uint64_t bits);

/* Whether that pattern of a float is among accept->specials of the component. */
bool accept_special_holds(const accept_t *accept, const format_t *format, size_t component,
                          uint64_t bits);

/* Whether a component of the result has a twin, and another pattern than that. */
bool accept_differs_from_twin(const accept_t *accept, const tensor_t *result, size_t component);

/* The last word on one component of a result. */
typedef struct answer {
  bool conforms;
  bool is_vacuous;        /* Conforms, but every value would have. */
  bool is_treeless;       /* A sum of few terms that conforms although no tree is known for it. */
  bool is_unproven;       /* It conforms by a bound, and no way to compute it is known: asked where
                           * oracle_call_t.why is not NULL, of sums of up to 64 terms. */
  bool is_running;        /* It conforms by a formula that computes anew at each term: the errors
                           * of its steps add up over the terms. */
  bool has_reference;     /* x* is finite, and the three measures below mean something. */
  double ulp_error;       /* |got - x*| / ulp_T(x*); infinite if got is not finite. */
  double slack;           /* |got - x*| / E; 0 where E = 0 and got = x*. */
  double backward_error;  /* |got - x*| / (u * sum |terms|). */
  bool nan_expected;      /* NaN is required. */
  bool infinity_expected; /* An infinity is required. */
  bool is_index;          /* The component is an index: a wrong one is class `index`. */
  bool is_quantum;        /* It is a storage integer: a wrong one is class `quantum`. */
  char expected[128];     /* The accept set in words: "0x1.8p+3 .. 0x1.9p+3", "NaN", "{3, 7}". */
  char observed[64];      /* What was seen among the permitted: "init_count=2", "saturated", "". */
} answer_t;

#endif
