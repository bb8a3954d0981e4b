/* SPDX-License-Identifier: Apache-2.0 */
/* Identification: from a black box to a profile that predicts its bits, or to the reason why there
 * is none. */
#ifndef ASSAY_IDENTIFY_IDENTIFY_H
#define ASSAY_IDENTIFY_IDENTIFY_H

#include "harness/identify/probe/black_box_sum.h"
#include "harness/identify/profile/profile.h"

typedef enum identity {
  IDENTITY_FOUND,             /* Every random case was predicted to the bit. */
  IDENTITY_NOT_DETERMINISTIC, /* The same terms gave different bits. */
  IDENTITY_NO_TREE,        /* The probes contradict every tree: the order depends on the values. */
  IDENTITY_CONTRADICTED,   /* A profile fits the probes but not all random cases. */
  IDENTITY_TOO_MANY_CALLS, /* An irregular tree, too large to be found. */
} identity_t;

/* "identified", "not-deterministic", ...; and a sentence. */
const char *identity_name(identity_t identity);

typedef struct identification {
  identity_t identity;
  char reason[ERROR_TEXT_BYTES]; /* Unless found: what was seen. */
  bool has_profile;              /* Where found or contradicted. */
  profile_t profile;             /* In the caller's arena. */
  size_t tree_calls; /* Of the black box: to find the tree, its arithmetic, and to check. */
  size_t arithmetic_calls;
  size_t check_calls;
  size_t checked; /* Random vectors, and how many of them were predicted to the bit. */
  size_t predicted;
  const double *contradiction_left; /* The first vector that was not predicted, or NULL. */
  const double *contradiction_right;
  double contradiction_init;
  uint64_t expected_bits; /* What the profile predicted and what came out. */
  uint64_t observed_bits;
} identification_t;

enum { IDENTIFY_VECTORS = 256 }; /* Random vectors to check a profile with. */

typedef struct identify_options {
  const profile_t *hint; /* A profile to try first: a guess; or NULL. */
  uint64_t seed;
} identify_options_t;

/* STATUS_IO if the executor fails or refuses, STATUS_UNSUPPORTED where the types leave nothing to
 * ask; else STATUS_OK, and the identity tells. */
status_t identify(black_box_sum_t *black_box, const identify_options_t *options, arena_t *arena,
                  identification_t *out_identification, failure_t *error);

/* Random data that a profile is checked with. */
typedef struct check_data {
  uint64_t seed;
  size_t count; /* Vectors, or cases. */
} check_data_t;

/* Checks a profile on random vectors; sets the members from check_calls on.  For identify() and
 * for tests. */
status_t identify_check(black_box_sum_t *black_box, const profile_t *profile,
                        const check_data_t *data, arena_t *arena,
                        identification_t *inout_identification, failure_t *error);

#endif
