/* Which products are rounded before they are added.
 *
 * (1 + 2^(1-p)) (1 + 2^(1-q)) = 1 + 2^(1-p) + 2^(1-q) + 2^(2-p-q): the last bit is lost if the
 * product of factors of precisions p and q is rounded to fewer than p + q - 1 bits, and survives
 * the subtraction of the others if it is not.  Where every product fits the result's precision,
 * only underflow can tell: half of the smallest number added to the smallest number is rounded to
 * even, twice the smallest number, if it has not been lost before. */
#include <math.h>

#include "harness/identify/arithmetic_probe.h"

static bool is_exact_in(const summer_t *summer, const format_t *format) {
  return summer->left->precision + summer->right->precision <= format->precision;
}

/* A leaf under some other child. */
static uint32_t other_leaf(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child) {
  return anatomy_leaf(anatomy, node, child == 0 ? 1 : 0);
}

/* Asks about the product that is child `child` of the node. */
static status_t ask_product(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child,
                            bool *out_is_unrounded) {
  const discovery_t *discovery = anatomy->discovery;
  prober_t *prober = discovery->prober;
  const summer_t *summer = prober->summer;
  int p = summer->left->precision;
  int q = summer->right->precision;
  double left = 1 + ldexp(1, 1 - p);
  double right = 1 + ldexp(1, 1 - q);
  double last = ldexp(1, 2 - p - q);
  int lift = MAX(0, summer_least_exponent(summer, false) + p + q - 2); /* Keeps `last` normal. */
  int left_lift = lift / 2;
  prober_set_factors(prober, node->children[child], ldexp(left, left_lift),
                     ldexp(right, lift - left_lift));
  double most = -ldexp(1 + ldexp(1, 1 - p) + ldexp(1, 1 - q), left_lift);
  double scale = ldexp(1, lift - left_lift);
  uint32_t other = other_leaf(anatomy, node, child);
  prober_set_factors(prober, other, p >= q ? most : -ldexp(1, left_lift),
                     p >= q ? scale : -most * ldexp(scale, -left_lift));
  double value;
  STATUS_TRY(prober_run(prober, &value, discovery->error));
  *out_is_unrounded = value == ldexp(last, lift);
  if (*out_is_unrounded || value == 0) return STATUS_OK;
  return status_fail(discovery->error, STATUS_INVALID,
                     "the product of term %u is rounded in no known way", node->children[child]);
}

/* The same by underflow; false too where nothing can be told. */
static status_t ask_underflow(const anatomy_t *anatomy, const profile_node_t *node, uint32_t child,
                              bool *out_is_unrounded) {
  const discovery_t *discovery = anatomy->discovery;
  prober_t *prober = discovery->prober;
  const format_t *result = prober->summer->result;
  int least = result->exponent_min - result->precision + 1;
  int half = least / 2;
  prober_set_factors(prober, node->children[child], ldexp(1, half), ldexp(1, least - 1 - half));
  prober_set_factors(prober, other_leaf(anatomy, node, child), ldexp(1, half),
                     ldexp(1, least - half));
  double value = 0;
  status_t status = prober_run(prober, &value, discovery->error);
  *out_is_unrounded = value == ldexp(2, least);
  return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

static status_t ask_all(anatomy_t *anatomy, bool by_underflow) {
  size_t term_count = anatomy->discovery->builder.term_count;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    const profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (term >= term_count || node->child_count < 2) continue;
      bool is_unrounded = false;
      STATUS_TRY(by_underflow ? ask_underflow(anatomy, node, k, &is_unrounded)
                              : ask_product(anatomy, node, k, &is_unrounded));
      anatomy->is_unrounded[term] = is_unrounded;
    }
  }
  return STATUS_OK;
}

/* Sets `fused` by the products among the children; true if the nodes could as well round all
 * products to their own format, in which products are exact. */
static bool mark_fused(anatomy_t *anatomy) {
  const summer_t *summer = anatomy->discovery->prober->summer;
  size_t term_count = anatomy->discovery->builder.term_count;
  bool all_exact = true;
  for (size_t i = 0; i < anatomy->node_count; i++) {
    profile_node_t *node = &anatomy->nodes[i];
    for (uint32_t k = 0; k < node->child_count; k++) {
      uint32_t term = node->children[k];
      if (term >= term_count) continue;
      if (anatomy->is_unrounded[term] != 0) node->fused = true;
      bool is_exact = anatomy->is_unrounded[term] != 0 && is_exact_in(summer, node->format);
      all_exact = all_exact && is_exact && node->format->exponent_max > 1000;
    }
  }
  return all_exact;
}

status_t probe_products(anatomy_t *anatomy, profile_t *profile) {
  const summer_t *summer = anatomy->discovery->prober->summer;
  if (summer->right == NULL) return STATUS_OK;
  profile->product = summer->result;
  if (anatomy->node_count == 0) return STATUS_OK;
  STATUS_TRY(ask_all(anatomy, is_exact_in(summer, summer->result)));
  if (!mark_fused(anatomy)) return STATUS_OK;
  profile->product = &format_table[FORMAT_f64];
  for (size_t i = 0; i < anatomy->node_count; i++) anatomy->nodes[i].fused = false;
  return STATUS_OK;
}
