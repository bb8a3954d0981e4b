/* SPDX-License-Identifier: Apache-2.0 */
/* Niches and the climbing in them.
 *
 * A niche is (op, types, algorithm) and the binary order of the count of terms: without the last,
 * sums of two terms, which reach the whole of their bound at once, would hide all longer ones.  A
 * niche keeps the conforming case with the largest slack (then the largest error in ulps, then the
 * largest backward error).  Climbing edits it, several times in a row, at places that go into the
 * result elements in which it last rose, with the kinds of edits that paid lately; what is not
 * lower becomes the niche's case.  A niche that does not rise for long begins anew from the next
 * case drawn in it, and keeps its record.  So does one whose case had to make room: cases take most
 * of the memory of a search that goes on for hours, and there is a limit to what they take. */
#ifndef ASSAY_SEARCH_CLIMBER_H
#define ASSAY_SEARCH_CLIMBER_H

#include "harness/search/search.h"

/* How high a case is: compared member by member. */
typedef struct height {
  double slack;
  double ulp_error;
  double backward_error;
} height_t;

typedef struct niche {
  uint64_t key;
  int order;        /* Binary, of the count of terms. */
  height_t record;  /* Of any case of the niche; never falls. */
  height_t present; /* Of `line`. */
  char *
      line; /* Owned: the case line of what is climbed from, or of any case; NULL: there is none. */
  bool is_climbable; /* `line` conforms, and did not begin anew. */
  uint32_t visits;
  uint32_t useful;   /* Of these, cases that were executed. */
  uint32_t stuck;    /* Climbs since the last rise. */
  double gain;       /* Decayed share of climbs that rose, from 1. */
  uint32_t findings; /* New ones. */
} niche_t;

/* What is climbed at present. */
typedef struct burst {
  niche_t *niche; /* NULL: nothing. */
  case_t instance;
  bool has_changed; /* Since niche->line was written. */
  bool has_place;
  gen_place_t place; /* Where it last rose. */
  uint32_t left;     /* Proposals. */
} burst_t;

typedef struct climber climber_t;

/* The memory that the lines of all niches of some climbers take. */
typedef struct climber_room {
  size_t bytes_max;   /* Of all; beyond, */
  size_t bytes_share; /* a climber whose own take more than this drops some. */
  size_t bytes;       /* That they take at present. */
} climber_room_t;

/* `room` is borrowed and outlives the climber; NULL: there is no limit. */
climber_t *climber_new(climber_room_t *room);
void climber_free(climber_t *climber);

/* The height of what conforms: the largest over the executors.  False if none conforms. */
bool climber_height(const verdict_t *verdicts, size_t count, height_t *out_height);

/* The niche of a key, made if there is none. */
niche_t *climber_niche(climber_t *climber, uint64_t key, int order);
const niche_t *climber_find_niche(const climber_t *climber, uint64_t key);

/* Of a few drawn niches whose programs are executed, the least visited one; NULL if there is none.
 */
niche_t *climber_choose_rare(climber_t *climber, rng_t *rng);

/* The most promising one to climb in, or NULL. */
niche_t *climber_choose_promising(climber_t *climber);

/* The next case of the present burst, or of one that begins in `niche`; false if there is none, or
 * its program is not to be had. */
bool climber_is_climbing(const climber_t *climber);
void climber_begin(climber_t *climber, niche_t *niche, uint32_t length);
void climber_propose(climber_t *climber, rng_t *rng, arena_t *arena,
                     search_proposal_t *out_proposal);

/* Takes in a case of `niche`; `height` is NULL if it does not conform.  Returns true if it is a
 * record by slack. */
bool climber_learn(climber_t *climber, niche_t *niche, const search_proposal_t *proposal,
                   const height_t *height);

/* The largest slack of all niches. */
double climber_slack_max(const climber_t *climber);

#endif
