/* SPDX-License-Identifier: Apache-2.0 */
/* Strata: the kinds of sizes and data that cases are drawn from, each with a share of the programs
 * (strata.def). */
#ifndef ASSAY_GEN_STRATA_H
#define ASSAY_GEN_STRATA_H

#include <glib.h>

#include "harness/base/rng.h"
#include "harness/base/status.h"
#include "harness/base/text.h"
#include "harness/model/op.h"

typedef enum stratum {
#define STRATUM(name, mark, share, sizes, rank_max, elements_max, terms_max, data, summary) \
  STRATUM_##name,
#include "harness/gen/strata.def"
#undef STRATUM
  STRATUM_COUNT
} stratum_t;

/* How often programs come from each; only ratios matter.  All zeros: all from STRATUM_corner. */
typedef struct strata {
  uint32_t shares[STRATUM_COUNT];
} strata_t;

/* The shares of strata.def. */
strata_t strata_default(void);

/* Reads "tiles=30,long=5": strata that are not named keep no share.  "default" and "" stand for
 * strata_default().  Errors: an unknown name, one named twice, a share that is no number from 0 to
 * 1,000,000, and no share above 0. */
status_t strata_parse(str_t text, strata_t *out_strata, failure_t *error);

/* Appends "corner=50,tiles=18": what strata_parse() reads. */
void strata_print(const strata_t *strata, GString *out_text);

/* The shares for programs of that op.  Those of several steps are slender and at thresholds more
 * often: where kernels of many thin rows change, what matters is the steps that they are fused
 * with.  Those with functions are swept more often, which may be wrong for few numbers of a
 * million. */
strata_t strata_of(const strata_t *strata, const op_t *op);

stratum_t strata_draw(const strata_t *strata, rng_t *rng);

const char *stratum_name(stratum_t stratum);
const char *stratum_summary(stratum_t stratum);

/* Whether it has programs that are larger than any of the corner. */
bool stratum_is_large(stratum_t stratum);

/* The limits of a program of that stratum.  Of large ones they differ from draw to draw: there are
 * more programs of few elements than of many, which cost more. */
draw_limits_t stratum_limits(stratum_t stratum, rng_t *rng);

/* A case seed tells the stratum by which its data are drawn: whoever has the seed and the program
 * has the case.  Of a random seed, which mostly tells STRATUM_corner, one like it that tells
 * `stratum`. */
uint64_t stratum_mark_seed(stratum_t stratum, uint64_t seed);
stratum_t stratum_of_seed(uint64_t case_seed);

#endif
