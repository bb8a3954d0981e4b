/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the next op: the one furthest below its floor, else at random in proportion to decayed
 * reward per cost. */
#include "harness/search/scheduler.h"

#include <glib.h>

static const double DECAY = 1 - 1.0 / 256;
static const double PRIOR_REWARD = 0.25; /* Beside the cost of one mean case. */

typedef struct account {
  uint64_t cost;        /* What is charged, see charge(). */
  uint64_t dearest;     /* Of its cases, ... */
  uint64_t next;        /* ... and the next dearest. */
  double recent_reward; /* Decayed. */
  double recent_cost;   /* Likewise. */
  unsigned unanswered;  /* Cases in a row. */
} account_t;

struct scheduler {
  size_t count;
  uint64_t cost;
  uint64_t cases;
  account_t *accounts; /* Owned; `count` of them. */
  double *yields;      /* Likewise; scratch. */
};

scheduler_t *scheduler_new(size_t count) {
  scheduler_t *scheduler = g_new0(scheduler_t, 1);
  scheduler->count = count;
  scheduler->accounts = g_new0(account_t, count);
  scheduler->yields = g_new0(double, count);
  return scheduler;
}

void scheduler_free(scheduler_t *scheduler) {
  if (scheduler == NULL) return;
  g_free(scheduler->accounts);
  g_free(scheduler->yields);
  g_free(scheduler);
}

static bool is_mute(const account_t *account) {
  return account->unanswered >= SCHEDULER_MUTE_AFTER;
}

/* The one that is furthest below its floor; `count` if none is. */
static size_t find_starved(const scheduler_t *scheduler) {
  double floor = (double)scheduler->cost / (double)(SCHEDULER_FLOOR_PART * scheduler->count);
  size_t starved = scheduler->count;
  for (size_t i = 0; i < scheduler->count; i++) {
    double cost = (double)scheduler->accounts[i].cost;
    if (cost > (is_mute(&scheduler->accounts[i]) ? floor / (double)SCHEDULER_MUTE_PART : floor)) {
      continue;
    }
    bool is_first = starved == scheduler->count;
    if (is_first || cost < (double)scheduler->accounts[starved].cost) starved = i;
  }
  return starved;
}

size_t scheduler_choose(const scheduler_t *scheduler, rng_t *rng) {
  size_t starved = find_starved(scheduler);
  if (starved < scheduler->count) return starved;
  double mean_cost = (double)scheduler->cost / (double)scheduler->cases;
  double total = 0;
  for (size_t i = 0; i < scheduler->count; i++) {
    const account_t *account = &scheduler->accounts[i];
    double yield = (account->recent_reward + PRIOR_REWARD) / (account->recent_cost / mean_cost + 1);
    scheduler->yields[i] = is_mute(account) ? 0 : yield;
    total += scheduler->yields[i];
  }
  double ticket = (double)(rng_bits(rng) >> 11) * 0x1p-53 * total;
  size_t index = 0;
  while (index + 1 < scheduler->count && ticket >= scheduler->yields[index]) {
    ticket -= scheduler->yields[index++];
  }
  return index; /* Where all are mute, the last: its floor is as good as any other's. */
}

void scheduler_note_answer(scheduler_t *scheduler, size_t index, bool is_answered) {
  account_t *account = &scheduler->accounts[index];
  account->unanswered = is_answered ? 0 : account->unanswered + 1;
}

/* The dearest case of an op costs as much as the next dearest: once in a process something is
 * loaded, or started, and that is no reason to draw less of the op that came first. */
static uint64_t charge(account_t *account, uint64_t cost) {
  if (cost <= account->next) return cost;
  if (cost <= account->dearest) {
    uint64_t before = account->next;
    account->next = cost;
    return 2 * cost - before;
  }
  uint64_t excused = account->dearest, counted = account->next;
  account->dearest = cost;
  account->next = excused;
  return 2 * excused - counted;
}

void scheduler_note(scheduler_t *scheduler, size_t index, uint64_t cost, double reward) {
  account_t *account = &scheduler->accounts[index];
  uint64_t charged = charge(account, cost);
  scheduler->cost += charged;
  scheduler->cases++;
  account->cost += charged;
  account->recent_reward = account->recent_reward * DECAY + reward;
  account->recent_cost = account->recent_cost * DECAY + (double)charged;
}

uint64_t scheduler_cost(const scheduler_t *scheduler, size_t index) {
  return scheduler->accounts[index].cost;
}
