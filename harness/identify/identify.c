/* SPDX-License-Identifier: Apache-2.0 */
/* Asks whether factors are narrowed; tries in turn a hint, mask scales from wide to narrow and a
 * single exact adder; each attempt finds the tree, then its arithmetic, then checks predictions.
 * Keeps the best attempt and the reason of failure. */
#include "harness/identify/identify.h"

#include <math.h>
#include <string.h>

#include "harness/identify/probe/arithmetic.h"
#include "harness/identify/probe/init.h"
#include "harness/identify/probe/operands.h"
#include "harness/identify/probe/random_terms.h"

const char *identity_name(identity_t identity) {
  static const char *const names[] = {
      [IDENTITY_FOUND] = "identified",
      [IDENTITY_NOT_DETERMINISTIC] = "not-deterministic",
      [IDENTITY_NO_TREE] = "not-a-tree",
      [IDENTITY_CONTRADICTED] = "contradicted",
      [IDENTITY_TOO_MANY_CALLS] = "too-many-calls",
  };
  return names[identity];
}

/* One identification under way. */
typedef struct search {
  black_box_sum_t *black_box;
  const identify_options_t *options;
  arena_t *arena;
  identification_t *best; /* What is reported. */
  failure_t *error;
  size_t init_count; /* How often the initial value enters. */
} search_t;

static void report(search_t *search, identity_t identity, const char *reason) {
  search->best->identity = identity;
  g_strlcpy(search->best->reason, reason, sizeof search->best->reason);
}

/* The same terms several times, in regimes where any other order shows. */
static status_t check_repeats(search_t *search) {
  enum { VECTORS = 12, REPEATS = 4 };
  black_box_sum_t *black_box = search->black_box;
  size_t count = black_box->term_count;
  double *left = ARENA_NEW_ARRAY(search->arena, double, count);
  double *right = ARENA_NEW_ARRAY(search->arena, double, count);
  rng_t rng = rng_make(search->options->seed ^ 1);
  for (int i = 0; i < VECTORS; i++) {
    terms_regime_t regime = i % 2 == 0 ? TERMS_SPREAD : TERMS_CANCEL;
    random_terms(&rng, regime, black_box->left, false, left, count);
    if (black_box->right != NULL) random_terms(&rng, regime, black_box->right, true, right, count);
    uint64_t first = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
      uint64_t bits;
      const double *factors = black_box->right != NULL ? right : NULL;
      STATUS_TRY(black_box_sum_run(black_box, left, factors, 0, &bits, search->error));
      if (repeat == 0) first = bits;
      if (profile_same_bits(black_box->result, first, bits)) continue;
      report(search, IDENTITY_NOT_DETERMINISTIC, "the same terms gave different bits");
      return STATUS_OK;
    }
  }
  return STATUS_OK;
}

/* How often the initial value is added to nothing. */
static status_t count_inits(search_t *search, mask_probe_t *probe) {
  black_box_sum_t *black_box = search->black_box;
  search->init_count = 0;
  if (!black_box->takes_init) return STATUS_OK;
  double value;
  mask_probe_set(probe, black_box->term_count, 1);
  STATUS_TRY(mask_probe_run(probe, &value, search->error));
  if (!(value >= 0 && value <= (double)INIT_COUNT_MAX) || value != floor(value)) {
    report(search, IDENTITY_NO_TREE,
           "an initial value of 1 and no other terms give no small whole"
           " number: this is no sum");
    return STATUS_OK;
  }
  search->init_count = (size_t)value;
  return STATUS_OK;
}

static discovery_t discovery_make(const search_t *search, mask_probe_t *probe, mask_scale_t scale) {
  return (discovery_t){
      .probe = probe,
      .scale = scale,
      .rng = rng_make(search->options->seed ^ 2),
      .arena = search->arena,
      .init_is_leaf = search->init_count == 1,
      .builder = profile_builder_make(search->black_box->term_count, search->arena),
      .leaf_counts = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
      .error = search->error};
}

static void discovery_free(discovery_t *discovery) {
  profile_builder_free(&discovery->builder);
  g_array_unref(discovery->leaf_counts);
}

static check_data_t check_data_of(const search_t *search) {
  return (check_data_t){.seed = search->options->seed ^ 3, .count = IDENTIFY_VECTORS};
}

/* The arithmetic of a tree that was found, the places of repeated initial values, and the check.
 * Keeps the better of two attempts. */
static status_t finish(search_t *search, discovery_t *discovery, size_t tree_calls) {
  black_box_sum_t *black_box = search->black_box;
  identification_t attempt = {.has_profile = true, .tree_calls = tree_calls};
  size_t before = black_box->calls;
  STATUS_TRY(probe_arithmetic(discovery, &attempt.profile));
  if (search->init_count > 1) {
    STATUS_TRY(probe_inits(discovery, search->init_count, &attempt.profile));
  }
  attempt.arithmetic_calls = black_box->calls - before;
  const check_data_t data = check_data_of(search);
  STATUS_TRY(
      identify_check(black_box, &attempt.profile, &data, search->arena, &attempt, search->error));
  if (search->best->has_profile && attempt.predicted <= search->best->predicted) return STATUS_OK;
  *search->best = attempt;
  if (attempt.predicted == attempt.checked) return STATUS_OK;
  report(search, IDENTITY_CONTRADICTED, "the profile does not predict every random case");
  return STATUS_OK;
}

/* One product and a start from zero: nothing but signs of underflow tells in which format it was
 * rounded first. */
static status_t try_wider_products(search_t *search) {
  static const int formats[] = {FORMAT_f32, FORMAT_f64};
  identification_t attempt = *search->best;
  bool applies = attempt.has_profile && attempt.identity == IDENTITY_CONTRADICTED &&
                 attempt.profile.right != NULL && attempt.profile.term_count == 1;
  for (size_t i = 0; i < G_N_ELEMENTS(formats) && applies; i++) {
    attempt.profile.product = &format_table[formats[i]];
    attempt.profile.node_count = 0;
    attempt.profile.zero_is_first = false;
    const check_data_t data = check_data_of(search);
    STATUS_TRY(identify_check(search->black_box, &attempt.profile, &data, search->arena, &attempt,
                              search->error));
    if (attempt.predicted < attempt.checked) continue;
    attempt.identity = IDENTITY_FOUND;
    *search->best = attempt;
    return STATUS_OK;
  }
  return STATUS_OK;
}

static bool is_found(const search_t *search) {
  return search->best->has_profile && search->best->identity == IDENTITY_FOUND;
}

/* A failure of one attempt that says something about the black box; other failures end the search.
 */
static status_t settle(search_t *search, status_t status) {
  if (status != STATUS_INVALID && status != STATUS_UNDECIDED) return status;
  if (!search->best->has_profile) {
    report(search, status == STATUS_INVALID ? IDENTITY_NO_TREE : IDENTITY_TOO_MANY_CALLS,
           search->error->text);
  }
  return STATUS_OK;
}

static status_t try_hint(search_t *search, mask_probe_t *probe, mask_scale_t scale) {
  const profile_t *hint = search->options->hint;
  if (hint == NULL || hint->term_count != search->black_box->term_count) return STATUS_OK;
  if (hint->has_init != (search->init_count == 1)) return STATUS_OK;
  discovery_t discovery = discovery_make(search, probe, scale);
  size_t before = search->black_box->calls;
  bool holds = false;
  status_t status = discover_verify(&discovery, hint, &holds);
  if (status == STATUS_OK && holds) {
    status = finish(search, &discovery, search->black_box->calls - before);
  }
  discovery_free(&discovery);
  return settle(search, status);
}

static status_t try_scale(search_t *search, mask_probe_t *probe, mask_scale_t scale) {
  discovery_t discovery = discovery_make(search, probe, scale);
  size_t before = search->black_box->calls;
  status_t status = discover_tree(&discovery);
  if (status == STATUS_OK) {
    status = finish(search, &discovery, search->black_box->calls - before);
  }
  discovery_free(&discovery);
  return settle(search, status);
}

/* One adder that takes in everything and rounds once: what wide accumulators make of narrow terms,
 * which no mask can tell. */
static status_t try_exact_adder(search_t *search, mask_probe_t *probe) {
  discovery_t discovery = discovery_make(search, probe, (mask_scale_t){.mask = 0});
  size_t count = search->black_box->term_count + (discovery.init_is_leaf ? 1 : 0);
  if (count > 1) {
    uint32_t *leaves = g_new(uint32_t, count);
    for (size_t i = 0; i < count; i++) leaves[i] = (uint32_t)i;
    discovery_add(&discovery, leaves, count, false);
    g_free(leaves);
  }
  status_t status = finish(search, &discovery, 0);
  discovery_free(&discovery);
  return settle(search, status);
}

static status_t search_all(search_t *search) {
  enum { CALLS_PER_TERM_MAX = 64, CALLS_MAX = 20000 };
  black_box_sum_t *black_box = search->black_box;
  mask_probe_t probe = mask_probe_make(black_box, search->arena);
  black_box->calls_max = black_box->calls + CALLS_MAX + CALLS_PER_TERM_MAX * black_box->term_count;
  STATUS_TRY(check_repeats(search));
  if (search->best->identity == IDENTITY_NOT_DETERMINISTIC) return STATUS_OK;
  STATUS_TRY(count_inits(search, &probe));
  if (search->best->identity == IDENTITY_NO_TREE) return STATUS_OK;
  STATUS_TRY(probe_operands(&probe, search->error));
  mask_scale_t scales[MASK_SCALES_MAX];
  size_t scale_count = mask_scales(black_box, scales);
  if (scale_count > 0) STATUS_TRY(try_hint(search, &probe, scales[0]));
  for (size_t i = 0; i < scale_count && !is_found(search); i++) {
    STATUS_TRY(try_scale(search, &probe, scales[i]));
  }
  if (!is_found(search)) STATUS_TRY(try_exact_adder(search, &probe));
  return try_wider_products(search);
}

status_t identify(black_box_sum_t *black_box, const identify_options_t *options, arena_t *arena,
                  identification_t *out_identification, failure_t *error) {
  failure_t own_error = {0};
  *out_identification = (identification_t){.identity = IDENTITY_FOUND};
  search_t search = {.black_box = black_box,
                     .options = options,
                     .arena = arena,
                     .best = out_identification,
                     .error = error != NULL ? error : &own_error};
  if (black_box->left->specials == FORMAT_EXPONENT_ONLY) {
    return status_fail(error, STATUS_UNSUPPORTED,
                       "%s has no zero: the meaning of its sums is not defined",
                       black_box->left->name);
  }
  size_t first = black_box->calls;
  STATUS_TRY(search_all(&search));
  (void)first;
  return STATUS_OK;
}
