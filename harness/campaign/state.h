/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked of a campaign and how far it has come: a key file that is replaced as a whole, so
 * that a kill or a power failure leaves the one before. */
#ifndef ASSAY_CAMPAIGN_STATE_H
#define ASSAY_CAMPAIGN_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/base/status.h"
#include "harness/campaign/share.h"

typedef struct campaign_state {
  char *name;    /* Of the campaign: run.campaign in the database. */
  char *request; /* The options that must be the same to resume, as words. */
  uint64_t seed;
  double seconds_total;
  double seconds_spent;
  uint64_t slices; /* Begun so far: the seed of a slice depends on its number. */
  char *started;   /* UTC, ISO 8601. */
  bool is_finished;
  campaign_share_item_t *items; /* By executor; owned. */
  bool *isolated;               /* Likewise: it took a worker along, so it gets processes. */
  size_t item_count;
} campaign_state_t;

void campaign_state_deinit(campaign_state_t *state);

/* *out_found is false if there is no such file.  STATUS_INVALID if it is damaged. */
status_t campaign_state_read(const char *path, campaign_state_t *out_state, bool *out_found,
                             failure_t *error);
status_t campaign_state_write(const char *path, const campaign_state_t *state, failure_t *error);

/* The seed of a slice. */
uint64_t campaign_state_slice_seed(const campaign_state_t *state, uint64_t slice);

#endif
