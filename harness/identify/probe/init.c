/* SPDX-License-Identifier: Apache-2.0 */
/* Places repeated initial values in a known tree: masks count the copies near each node, then all
 * arrangements per region are tried on samples, twice, as each choice affects what others see. */
#include "harness/identify/probe/init.h"

#include <math.h>

#include "oracles/exact/arithmetic.h"

enum { COPIES_MAX = 6, SAMPLES = 24 };

/* The copies at one node: how many go onto its first child, the others onto the second, and in
 * which blocks: bit b of a mask says that copy b + 1 starts a new addition, else it joins the block
 * that is added at once. */
typedef struct region {
  uint32_t copies;
  uint32_t onto_first;
  uint32_t first_blocks;
  uint32_t second_blocks;
} region_t;

typedef struct insertion {
  discovery_t *discovery;
  const profile_t *bare; /* Without initial values. */
  region_t *regions;     /* By node, and one behind them for what is above the root. */
} insertion_t;

/* `id` plus `copies` initial values. */
static uint32_t add_copies(profile_builder_t *builder, uint32_t id, uint32_t copies,
                           uint32_t blocks, const profile_node_t *like) {
  uint32_t init = (uint32_t)builder->term_count;
  for (uint32_t at = 0; at < copies;) {
    uint32_t end = at + 1;
    uint32_t block = init;
    for (; end < copies && (blocks >> (end - 1) & 1) == 0; end++) {
      uint32_t pair[] = {block, init};
      block = profile_builder_add(builder, pair, 2, like);
    }
    uint32_t pair[] = {id, block};
    id = profile_builder_add(builder, pair, 2, like);
    at = end;
  }
  return id;
}

/* The tree with all copies where the regions say. */
static void insert_all(const insertion_t *insertion, arena_t *arena, profile_t *out_profile) {
  const profile_t *bare = insertion->bare;
  size_t terms = bare->term_count;
  profile_builder_t builder = profile_builder_make(terms, arena);
  profile_node_t like = {.format = bare->result, .rounding = ROUNDING_NEAREST_EVEN};
  uint32_t *ids = g_new0(uint32_t, bare->node_count + 1);
  uint32_t id = terms == 1 ? 0 : (uint32_t)terms;
  for (size_t i = 0; i < bare->node_count; i++) {
    like = bare->nodes[i];
    const region_t *region = &insertion->regions[i];
    uint32_t *children = g_new(uint32_t, like.child_count);
    for (uint32_t k = 0; k < like.child_count; k++) {
      uint32_t child = like.children[k];
      children[k] = child > terms ? ids[child - terms - 1] : child;
    }
    children[0] =
        add_copies(&builder, children[0], region->onto_first, region->first_blocks, &like);
    if (like.child_count > 1) {
      children[1] = add_copies(&builder, children[1], region->copies - region->onto_first,
                               region->second_blocks, &like);
    }
    id = ids[i] = profile_builder_add(&builder, children, like.child_count, &like);
    g_free(children);
  }
  const region_t *top = &insertion->regions[bare->node_count];
  add_copies(&builder, id, top->copies, top->first_blocks, &like);
  *out_profile = *bare;
  out_profile->has_init = true;
  profile_builder_finish(&builder, out_profile);
  g_free(ids);
  profile_builder_free(&builder);
}

static uint32_t leaf_under(const profile_t *profile, uint32_t id) {
  while (!profile_is_leaf(profile, id)) id = profile_node(profile, id)->children[0];
  return id;
}

/* Counts the copies that masks at two children of each node swallow. */
static status_t count_copies(const insertion_t *insertion, size_t count) {
  const profile_t *bare = insertion->bare;
  discovery_t *discovery = insertion->discovery;
  const mask_scale_t *scale = &discovery->scale;
  uint32_t *under = g_new0(uint32_t, bare->node_count + 1);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < bare->node_count && status == STATUS_OK; i++) {
    const profile_node_t *node = &bare->nodes[i];
    uint32_t below = 0;
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t child = node->children[k];
      if (!profile_is_leaf(bare, child)) below += under[child - bare->term_count - 1];
    }
    mask_probe_set(discovery->probe, leaf_under(bare, node->children[0]), scale->mask);
    mask_probe_set(discovery->probe, leaf_under(bare, node->children[1]), -scale->mask);
    mask_probe_set(discovery->probe, bare->term_count, scale->unit);
    double value = 0;
    status = mask_probe_run(discovery->probe, &value, discovery->error);
    /* NaN, where masks or units leave the format, tells nothing: as if no unit had survived. */
    double units = value / scale->unit;
    double survived = isnan(units) ? 0 : CLAMP(units, 0, (double)count);
    under[i] = (uint32_t)count - (uint32_t)survived;
    if (status == STATUS_OK && under[i] < below) {
      status = status_fail(discovery->error, STATUS_INVALID,
                           "the initial value enters where no tree has it");
    }
    insertion->regions[i].copies = under[i] - below;
  }
  size_t inside = bare->node_count > 0 ? under[bare->node_count - 1] : 0;
  insertion->regions[bare->node_count].copies = (uint32_t)(count - inside);
  g_free(under);
  return status;
}

/* One evaluation whose rounding errors happen around one region. */
typedef struct sample {
  double *terms;
  double init;
  uint64_t bits;
} sample_t;

/* Two terms of about 2^(p-1) and initial values of a few quarters: each order rounds otherwise. */
static status_t take_sample(const insertion_t *insertion, size_t number, sample_t *out_sample) {
  const profile_t *bare = insertion->bare;
  discovery_t *discovery = insertion->discovery;
  black_box_sum_t *black_box = discovery->probe->black_box;
  int precision = black_box->result->precision;
  int shift = MAX(0, precision + 1 - black_box_sum_largest_exponent(black_box));
  double *terms = arena_alloc_zeroed(discovery->arena, bare->term_count * sizeof(double));
  uint32_t leaves[2] = {0, 0};
  if (number < bare->node_count) {
    const profile_node_t *node = &bare->nodes[number];
    leaves[0] = leaf_under(bare, node->children[0]);
    leaves[1] = leaf_under(bare, node->children[1]);
  } else if (bare->node_count > 0) {
    leaves[0] = leaves[1] = leaf_under(bare, profile_root(bare));
  }
  const arithmetic_t left = arithmetic_make(black_box->left);
  for (int i = 0; i < 2; i++) {
    double term = ldexp(1, precision - 1) +
                  ldexp((double)rng_below(&discovery->rng, 8), precision - left.format->precision);
    term = rng_one_in(&discovery->rng, 2) ? -term : term;
    if (rng_one_in(&discovery->rng, 3)) term = ldexp(term, -1);
    terms[leaves[i]] = arithmetic_round(&left, ldexp(term, -shift));
  }
  double init = ldexp((double)rng_between(&discovery->rng, 1, 7), -2 - shift);
  init = arithmetic_round(&left, rng_one_in(&discovery->rng, 2) ? -init : init);
  *out_sample = (sample_t){.terms = terms, .init = init};
  return black_box_sum_run(black_box, terms, NULL, init, &out_sample->bits, discovery->error);
}

static size_t count_predicted(const insertion_t *insertion, const sample_t *samples) {
  arena_t arena;
  arena_init(&arena);
  profile_t profile;
  insert_all(insertion, &arena, &profile);
  double *scratch = ARENA_NEW_ARRAY(&arena, double, profile_scratch_count(&profile));
  size_t predicted = 0;
  for (size_t i = 0; i < SAMPLES; i++) {
    uint64_t bits = profile_predict(&profile, samples[i].terms, NULL, samples[i].init, scratch);
    predicted += profile_same_bits(profile.result, bits, samples[i].bits);
  }
  arena_deinit(&arena);
  return predicted;
}

/* Takes the arrangement of one region that predicts its samples best. */
static void choose(const insertion_t *insertion, size_t number, const sample_t *samples) {
  region_t *region = &insertion->regions[number];
  region_t best = *region;
  size_t most = count_predicted(insertion, samples);
  bool is_top = number == insertion->bare->node_count;
  uint32_t copies = region->copies;
  for (uint32_t first = is_top ? copies : 0; first <= copies; first++) {
    uint32_t second = copies - first;
    uint32_t first_masks = first > 1 ? 1U << (first - 1) : 1;
    uint32_t second_masks = second > 1 ? 1U << (second - 1) : 1;
    for (uint32_t masks = 0; masks < first_masks * second_masks; masks++) {
      region->onto_first = first;
      region->first_blocks = masks % first_masks;
      region->second_blocks = masks / first_masks;
      size_t predicted = count_predicted(insertion, samples);
      if (predicted <= most) continue;
      most = predicted;
      best = *region;
    }
  }
  *region = best;
}

/* From the top down, twice: what is chosen for one region changes what another sees. */
static status_t choose_all(const insertion_t *insertion) {
  enum { PASSES = 2 };
  size_t count = insertion->bare->node_count + 1;
  sample_t *samples = g_new(sample_t, SAMPLES);
  status_t status = STATUS_OK;
  for (size_t step = 0; step < PASSES * count && status == STATUS_OK; step++) {
    size_t number = count - 1 - step % count;
    if (insertion->regions[number].copies == 0) continue;
    for (size_t i = 0; i < SAMPLES && status == STATUS_OK; i++) {
      status = take_sample(insertion, number, &samples[i]);
    }
    if (status == STATUS_OK) choose(insertion, number, samples);
  }
  g_free(samples);
  return status;
}

status_t probe_inits(discovery_t *discovery, size_t count, profile_t *inout_profile) {
  const profile_t bare = *inout_profile;
  insertion_t insertion = {
      .discovery = discovery, .bare = &bare, .regions = g_new0(region_t, bare.node_count + 1)};
  status_t status = count_copies(&insertion, count);
  for (size_t i = 0; i <= bare.node_count && status == STATUS_OK; i++) {
    if (insertion.regions[i].copies <= COPIES_MAX) continue;
    status =
        status_fail(discovery->error, STATUS_INVALID,
                    "the initial value enters %u times at one node", insertion.regions[i].copies);
  }
  if (status == STATUS_OK) status = choose_all(&insertion);
  if (status == STATUS_OK) insert_all(&insertion, discovery->arena, inout_profile);
  g_free(insertion.regions);
  return status;
}
