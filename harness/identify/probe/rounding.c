/* SPDX-License-Identifier: Apache-2.0 */
/* The format and the rounding of each node.
 *
 * Two terms under a node, 1 and 1.75 units in the last place of a format of precision p, give 1
 * plus 2 units     if the node rounds to nearest in precision p, 1 unit      if it rounds toward
 * zero there, 1.75 units  if it is wider, and 0 or more than 2 units if it is narrower (no two
 * formats differ by one bit of precision but 8-bit ones); a term of -1 that joins at the next node
 * takes the 1 away, so that the units pass to the result unrounded.  The root shows its sum
 * directly, rounded to the result's format. */
#include <math.h>

#include "harness/identify/probe/arithmetic.h"

static const double too_wide = -1; /* The operands cannot ask about this precision. */

uint32_t anatomy_leaf(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child) {
  return profile_builder_first_leaf(&anatomy->discovery->builder, node->children[child]);
}

status_t anatomy_read(const anatomy_t *anatomy, size_t node, double cancelled, double *out_value) {
  const discovery_t *discovery = anatomy->discovery;
  uint32_t id = (uint32_t)(discovery->builder.term_count + 1 + node);
  uint32_t parent = anatomy->parents[node];
  if (parent != 0) {
    const profile_node_t *above = &anatomy->nodes[parent - discovery->builder.term_count - 1];
    uint32_t sibling = above->children[0] == id ? 1 : 0;
    mask_probe_set(discovery->probe, anatomy_leaf(anatomy, above, sibling), -cancelled);
  }
  STATUS_TRY(mask_probe_run(discovery->probe, out_value, discovery->error));
  if (parent == 0) *out_value -= cancelled;
  return STATUS_OK;
}

/* The exponent of the number 1 in a probe that needs `below` bits below it. */
static bool find_base(const black_box_sum_t *black_box, int below, int *out_exponent) {
  int largest = black_box_sum_largest_exponent(black_box) - 2;
  int base = MAX(MIN(0, largest), black_box_sum_least_exponent(black_box, false) + below);
  *out_exponent = base;
  return base <= largest;
}

/* How a node of this precision would answer: units in its last place, or too_wide. */
static status_t ask_units(const anatomy_t *anatomy, size_t number, int precision,
                          double *out_units) {
  enum { BITS_BELOW_UNIT = 2 };
  const profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  int base;
  *out_units = too_wide;
  if (!find_base(probe->black_box, precision - 1 + BITS_BELOW_UNIT, &base)) return STATUS_OK;
  double unit = ldexp(1, base - precision + 1);
  bool carries = node->aligned_bits > 0 && node->aligned_bits < precision + BITS_BELOW_UNIT;
  double one = ldexp(1, base);
  if (carries) { /* 1 + 1 + 1.5 of the units above 2: what is aligned to 1 holds half of them. */
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 2), one);
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), 3 * unit);
    unit *= 2;
  } else {
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), 1.75 * unit);
  }
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), one);
  double value;
  status_t status = anatomy_read(anatomy, number, carries ? 2 * one : one, &value);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  *out_units = value / unit;
  return status;
}

/* Whether the node is of this format; sets both members if so. */
static status_t try_format(anatomy_t *anatomy, size_t number, const format_t *format,
                           bool *out_fits) {
  double units;
  STATUS_TRY(ask_units(anatomy, number, format->precision, &units));
  *out_fits = units == 2 || units == 1;
  if (!*out_fits) return STATUS_OK;
  anatomy->nodes[number].format = format;
  anatomy->nodes[number].rounding = units == 2 ? ROUNDING_NEAREST_EVEN : ROUNDING_TOWARD_ZERO;
  return STATUS_OK;
}

/* Whether a truncating node gives infinity beyond the largest number.  Stays false where terms are
 * too small to ask. */
static status_t find_overflow(anatomy_t *anatomy, size_t number) {
  profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  double top = ldexp(1, node->format->exponent_max);
  if (black_box_sum_largest_exponent(probe->black_box) < node->format->exponent_max)
    return STATUS_OK;
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), top);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), top);
  double value = 0;
  status_t status = anatomy_read(anatomy, number, top, &value);
  node->overflows = isinf(value) != 0;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Whether an aligned adder cuts its addends so early that its own rounding cannot be asked for.  It
 * keeps all bits of their sum, or cuts that as early: 1 + 1 + the last bit beside 1 tells. */
static status_t hides_format(anatomy_t *anatomy, size_t number, int precision, bool *out_hides) {
  profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  *out_hides = false;
  if (node->aligned_bits <= 0 || node->child_count < 3) return STATUS_OK;
  if (node->aligned_bits + ilogb(node->child_count) + 1 >= precision) return STATUS_OK;
  uint32_t parent = anatomy->parents[number];
  size_t term_count = anatomy->discovery->builder.term_count;
  int above = parent == 0 ? 0 : anatomy->nodes[parent - term_count - 1].aligned_bits;
  *out_hides = above > 0 && above <= node->aligned_bits; /* Which cuts the sum as early. */
  if (*out_hides) return STATUS_OK;
  bool is_kept[2] = {false, false}; /* The last bit beside 1, and beside 2. */
  for (int i = 0; i < 2; i++) {
    double last = ldexp(1, i + 1 - node->aligned_bits), value = 0;
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), 1);
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), 1);
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 2), last);
    status_t status = anatomy_read(anatomy, number, 2, &value);
    if (status != STATUS_OK && status != STATUS_UNSUPPORTED) return status;
    is_kept[i] = status == STATUS_OK && value == last;
  }
  node->cuts_sum = !is_kept[0] && is_kept[1];
  *out_hides = is_kept[1];
  return STATUS_OK;
}

/* The bits to which adders of more than two align; 0 if none of the tree does. */
static int tree_aligned_bits(const anatomy_t *anatomy) {
  int bits = 0;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    bits = MAX(bits, anatomy->nodes[i].aligned_bits);
  }
  return bits;
}

/* Whether an aligned node of two children cuts their sum as early as these: a sum of 1 and the last
 * bit beside it, and 1 more. */
static status_t find_cut_of_pair(anatomy_t *anatomy, size_t number) {
  profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  size_t term_count = anatomy->discovery->builder.term_count;
  uint32_t inner = node->children[0] > term_count ? 0 : 1;
  if (node->children[inner] <= term_count) return STATUS_OK;
  const profile_node_t *below = &anatomy->nodes[node->children[inner] - term_count - 1];
  double last = ldexp(1, 1 - node->aligned_bits), value = last;
  mask_probe_set(probe, anatomy_leaf(anatomy, below, 0), 1);
  mask_probe_set(probe, anatomy_leaf(anatomy, below, 1), last);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 1 - inner), 1);
  status_t status = anatomy_read(anatomy, number, 2, &value);
  node->cuts_sum = status == STATUS_OK && value == 0;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* Whether a node of two children aligns them as others of its tree do, to fewer bits than its
 * format has: the last bit beside 1 is kept, and half of it lost. */
static status_t find_short_pair(anatomy_t *anatomy, size_t number, int precision, bool *out_is) {
  profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  int bits = tree_aligned_bits(anatomy);
  *out_is = node->child_count == 2 && node->aligned_bits == 0 && bits > 0 && bits < precision;
  for (int below = 0; below < 2 && *out_is; below++) {
    double small = ldexp(1, 1 - bits - below), value = 0;
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), 1);
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), small);
    status_t status = anatomy_read(anatomy, number, 1, &value);
    if (status != STATUS_OK && status != STATUS_UNSUPPORTED) return status;
    *out_is = status == STATUS_OK && value == (below == 0 ? small : 0);
  }
  if (!*out_is) return STATUS_OK;
  node->aligned_bits = bits;
  return find_cut_of_pair(anatomy, number);
}

/* Bits that an aligned adder keeps, from the smallest term that survives beside 1 and -1. */
static status_t find_aligned_bits(anatomy_t *anatomy, size_t number) {
  profile_node_t *node = &anatomy->nodes[number];
  const discovery_t *discovery = anatomy->discovery;
  mask_probe_t *probe = discovery->probe;
  int top = black_box_sum_largest_exponent(probe->black_box) - 2;
  int range = top - black_box_sum_least_exponent(probe->black_box, false);
  int survives = 0;
  int lost = MIN(range, 200);
  while (lost - survives > 1) {
    int middle = (lost + survives) / 2;
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), ldexp(1, top));
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), ldexp(1, top - middle));
    mask_probe_set(probe, anatomy_leaf(anatomy, node, 2), -ldexp(1, top));
    double value;
    STATUS_TRY(mask_probe_run(probe, &value, discovery->error));
    if (value == ldexp(1, top - middle)) {
      survives = middle;
    } else {
      lost = middle;
    }
  }
  node->aligned_bits = survives + 1;
  return STATUS_OK;
}

static const format_t *const candidates[] = {
    &format_table[FORMAT_f64],    &format_table[FORMAT_f32],    &format_table[FORMAT_f16],
    &format_table[FORMAT_bf16],   &format_table[FORMAT_f8E3M4], &format_table[FORMAT_f8E4M3FN],
    &format_table[FORMAT_f8E5M2],
};

/* Tries `guess`, the result's format, then all others. */
static status_t find_format(anatomy_t *anatomy, size_t number, const format_t *guess) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  bool is_root = anatomy->parents[number] == 0;
  bool fits = false;
  STATUS_TRY(find_short_pair(anatomy, number, guess->precision, &fits));
  if (!fits) STATUS_TRY(hides_format(anatomy, number, guess->precision, &fits));
  if (fits) anatomy->nodes[number].format = guess;
  if (fits) return STATUS_OK;
  STATUS_TRY(try_format(anatomy, number, guess, &fits));
  if (!fits && guess != black_box->result) {
    STATUS_TRY(try_format(anatomy, number, black_box->result, &fits));
  }
  for (size_t i = 0; i < G_N_ELEMENTS(candidates) && !fits; i++) {
    const format_t *format = candidates[i];
    bool is_hidden = is_root && format->precision > black_box->result->precision;
    if (format == guess || format == black_box->result || is_hidden) continue;
    STATUS_TRY(try_format(anatomy, number, format, &fits));
  }
  if (fits) return STATUS_OK;
  double units;
  STATUS_TRY(ask_units(anatomy, number, black_box->result->precision, &units));
  const format_t *wide = &format_table[black_box->result->precision < 24 ? FORMAT_f32 : FORMAT_f64];
  if (units == 1.75 || units == too_wide) { /* Wider than the terms can ask. */
    anatomy->nodes[number].format = units == 1.75 ? wide : black_box->result;
    return STATUS_OK;
  }
  return status_fail(anatomy->discovery->error, STATUS_INVALID,
                     "the node above terms %u and %u rounds to no known format",
                     anatomy_leaf(anatomy, &anatomy->nodes[number], 0),
                     anatomy_leaf(anatomy, &anatomy->nodes[number], 1));
}

/* The root's own format is hidden behind the result's: it is as wide as its widest child. */
static void widen_root(anatomy_t *anatomy) {
  profile_node_t *root = &anatomy->nodes[anatomy->node_count - 1];
  size_t term_count = anatomy->discovery->builder.term_count;
  for (uint32_t i = 0; i < root->child_count; i++) {
    if (root->children[i] <= term_count) continue;
    const format_t *format = anatomy->nodes[root->children[i] - term_count - 1].format;
    if (format->precision > root->format->precision) root->format = format;
  }
}

/* Whether a truncating node of two children aligns them as others of its tree do: less than the
 * last bit, taken from 1, leaves 1 only if it has been cut before. */
static status_t find_pair_alignment(anatomy_t *anatomy, size_t number, int aligned_bits) {
  profile_node_t *node = &anatomy->nodes[number];
  mask_probe_t *probe = anatomy->discovery->probe;
  bool applies = aligned_bits >= node->format->precision && node->child_count == 2 &&
                 node->aligned_bits == 0 && node->rounding == ROUNDING_TOWARD_ZERO;
  if (!applies) return STATUS_OK;
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 0), 1);
  mask_probe_set(probe, anatomy_leaf(anatomy, node, 1), -ldexp(1, -aligned_bits));
  double beyond = 0;
  status_t status = anatomy_read(anatomy, number, 1, &beyond);
  if (status == STATUS_OK && beyond == 0) node->aligned_bits = aligned_bits;
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

status_t probe_roundings(anatomy_t *anatomy) {
  const black_box_sum_t *black_box = anatomy->discovery->probe->black_box;
  const format_t *guess = black_box->result;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    bool is_unknown = anatomy->nodes[i].aligned_bits == ALIGNED_UNKNOWN;
    if (is_unknown) STATUS_TRY(find_aligned_bits(anatomy, i));
  }
  for (size_t i = anatomy->node_count; i-- > 0;) {
    profile_node_t *node = &anatomy->nodes[i];
    STATUS_TRY(find_format(anatomy, i, i + 1 == anatomy->node_count ? black_box->result : guess));
    if (node->rounding == ROUNDING_TOWARD_ZERO) STATUS_TRY(find_overflow(anatomy, i));
    guess = node->format;
  }
  int aligned_bits = tree_aligned_bits(anatomy);
  for (size_t i = 0; i < anatomy->node_count; i++) {
    STATUS_TRY(find_pair_alignment(anatomy, i, aligned_bits));
  }
  if (anatomy->node_count > 0) widen_root(anatomy);
  return STATUS_OK;
}
