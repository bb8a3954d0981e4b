/* SPDX-License-Identifier: Apache-2.0 */
/* How the time of a campaign is shared among executors: each gets a floor, the rest goes where
 * something is found. */
#ifndef ASSAY_CAMPAIGN_SHARE_H
#define ASSAY_CAMPAIGN_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Half of the time is shared evenly, so that no executor starves. */
#define CAMPAIGN_SHARE_FLOOR 0.5

/* So many slices in a row without a case, and an executor is set aside for the rest. */
enum { CAMPAIGN_SHARE_FAILURES_MAX = 3 };

typedef struct campaign_share_item {
  double seconds;    /* Spent and planned. */
  double yield;      /* What its last slices brought in a minute, older ones counting less. */
  unsigned failures; /* Slices in a row that ended without a case. */
  bool set_aside;
} campaign_share_item_t;

/* What a slice brought. */
typedef struct campaign_share_yield {
  double seconds_planned; /* As given to campaign_share_begin(). */
  double seconds;
  uint64_t cases;
  uint64_t findings_new;
  uint64_t counters_new; /* Combinations of op, algorithm, types and verdict not seen before. */
} campaign_share_yield_t;

/* The item that is furthest below its share; `count` if all are set aside. */
size_t campaign_share_pick(const campaign_share_item_t *items, size_t count);

/* A slice of so many seconds begins, and ends. */
void campaign_share_begin(campaign_share_item_t *item, double seconds_planned);
void campaign_share_end(campaign_share_item_t *item, const campaign_share_yield_t *yield);

#endif
