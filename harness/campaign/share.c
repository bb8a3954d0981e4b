/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the executor that lacks most of its share of time: a fixed floor plus a part
 * proportional to its decayed yield. Executors that complete no case in several consecutive slices
 * are disabled. */
#include "harness/campaign/share.h"

/* A new signature is what we are here for; new combinations promise some. */
#define COUNTER_WEIGHT 0.05
/* How much of the yield known so far the next slice leaves. */
#define DECAY 0.5

size_t campaign_share_pick(const campaign_share_item_t *items, size_t count) {
  double yield = 0;
  double seconds = 0;
  size_t present = 0;
  for (size_t i = 0; i < count; i++) {
    if (items[i].set_aside) continue;
    yield += items[i].yield;
    seconds += items[i].seconds;
    present++;
  }
  size_t best = count;
  double best_lack = 0;
  for (size_t i = 0; i < count; i++) {
    if (items[i].set_aside) continue;
    double even = 1.0 / (double)present;
    double earned = yield > 0 ? items[i].yield / yield : even;
    double share = CAMPAIGN_SHARE_FLOOR * even + (1 - CAMPAIGN_SHARE_FLOOR) * earned;
    double lack = share * seconds - items[i].seconds;
    if (best < count && lack <= best_lack) continue;
    best = i;
    best_lack = lack;
  }
  return best;
}

void campaign_share_begin(campaign_share_item_t *item, double seconds_planned) {
  item->seconds += seconds_planned;
}

void campaign_share_end(campaign_share_item_t *item, const campaign_share_yield_t *yield) {
  item->seconds += yield->seconds - yield->seconds_planned;
  double worth = (double)yield->findings_new + COUNTER_WEIGHT * (double)yield->counters_new;
  double per_minute = yield->seconds > 0 ? 60 * worth / yield->seconds : 0;
  item->yield = DECAY * item->yield + (1 - DECAY) * per_minute;
  item->failures = yield->cases > 0 ? 0 : item->failures + 1;
  item->set_aside = item->failures >= CAMPAIGN_SHARE_FAILURES_MAX;
}
