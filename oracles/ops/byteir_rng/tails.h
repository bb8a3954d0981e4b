/* SPDX-License-Identifier: Apache-2.0 */
/* How improbable it is that independent uniform numbers look like this: bounds for any number of
 * them, by theorems that hold for that number (theory.md, T82).  All are in bits: the probability
 * is at most 2^-bits; 0 or less says nothing.
 *
 * They are computed in binary64.  With up to 2^24 numbers no term exceeds 2^30 bits and none has
 * lost more than a few units in its last place, so the bits are right within 2^-18. */
#ifndef ASSAY_ORACLES_OPS_BYTEIR_RNG_TAILS_H
#define ASSAY_ORACLES_OPS_BYTEIR_RNG_TAILS_H

#include <stddef.h>

/* That the empirical distribution of `count` numbers differs from the true one by more than
 * `deviation` somewhere: 2 exp(-2 n d^2) (Dvoretzky, Kiefer and Wolfowitz 1956; Massart 1990). */
double byteir_rng_deviation_bits(size_t count, double deviation);

/* That of `count` trials, each of which succeeds with this probability, so many or more do, if that
 * is above the mean; or so many or fewer, if below: exp(-n K(k/n, p)), K(a, p) = a ln(a / p) +
 * (1 - a) ln((1 - a) / (1 - p)) (Chernoff 1952; Hoeffding 1963, theorem 1).  0 < p < 1. */
double byteir_rng_binomial_bits(size_t count, size_t successes, double probability);

/* That so many or more of some trials succeed, each of which does so with at most some probability
 * whatever came of those before it, if the sum of these is `mean`:
 * exp(-(k ln(k / mean) - k + mean)), by Chernoff's argument, since E[x^S] <= exp((x - 1) mean). */
double byteir_rng_rare_bits(double mean, size_t successes);

/* That of `count` independent numbers some `length` in turn ascend: each such stretch does with
 * probability 1 / length!, and there are count - length + 1.  1 <= length <= count. */
double byteir_rng_run_bits(size_t count, size_t length);

#endif
