/* SPDX-License-Identifier: Apache-2.0 */
/* The table of strata, their shares as text, and the mark of a stratum in a case seed. */
#include "harness/gen/strata.h"

#include <string.h>

typedef struct row {
  const char *name;
  const char *summary;
  uint64_t mark;
  uint32_t share;
  draw_limits_t limits;
} row_t;

static const row_t rows[STRATUM_COUNT] = {
#define STRATUM(name, mark, share, sizes, rank_max, elements_max, terms_max, data, summary) \
  {#name, summary, mark, share, {rank_max, elements_max, terms_max, DRAW_SIZES_##sizes}},
#include "harness/gen/strata.def"
#undef STRATUM
};

const char *stratum_name(stratum_t stratum) { return rows[stratum].name; }

const char *stratum_summary(stratum_t stratum) { return rows[stratum].summary; }

bool stratum_is_large(stratum_t stratum) {
  return rows[stratum].limits.elements_max > rows[STRATUM_corner].limits.elements_max;
}

strata_t strata_default(void) {
  strata_t strata;
  for (size_t i = 0; i < STRATUM_COUNT; i++) strata.shares[i] = rows[i].share;
  return strata;
}

/* ---- Text ------------------------------------------------------------------------------------ */

enum { SHARE_MAX = 1000000 };

static status_t find_stratum(const char *name, size_t *out_index, failure_t *error) {
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    if (strcmp(rows[i].name, name) != 0) continue;
    *out_index = i;
    return STATUS_OK;
  }
  g_autoptr(GString) names = g_string_new(NULL);
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    g_string_append_printf(names, "%s%s", i == 0 ? "" : ", ", rows[i].name);
  }
  return status_fail(error, STATUS_INVALID, "there is no stratum '%.100s'; write %s", name,
                     names->str);
}

static status_t parse_share(const char *entry, strata_t *strata, bool is_named[STRATUM_COUNT],
                            failure_t *error) {
  g_auto(GStrv) parts = g_strsplit(entry, "=", 2);
  size_t index = 0;
  STATUS_TRY(find_stratum(parts[0] == NULL ? "" : parts[0], &index, error));
  guint64 share;
  if (parts[1] == NULL || !g_ascii_string_to_unsigned(parts[1], 10, 0, SHARE_MAX, &share, NULL)) {
    return status_fail(
        error, STATUS_INVALID, "bad share '%.100s' of stratum %s; write %s=N, N from 0 to %d",
        parts[1] == NULL ? "" : parts[1], rows[index].name, rows[index].name, SHARE_MAX);
  }
  if (is_named[index]) {
    return status_fail(error, STATUS_INVALID, "stratum %s is given twice; give it once",
                       rows[index].name);
  }
  is_named[index] = true;
  strata->shares[index] = (uint32_t)share;
  return STATUS_OK;
}

static uint64_t sum_shares(const strata_t *strata) {
  uint64_t sum = 0;
  for (size_t i = 0; i < STRATUM_COUNT; i++) sum += strata->shares[i];
  return sum;
}

status_t strata_parse(str_t text, strata_t *out_strata, failure_t *error) {
  g_autofree char *copy = g_strndup(text.data, text.size);
  *out_strata = strata_default();
  if (copy[0] == '\0' || strcmp(copy, "default") == 0) return STATUS_OK;
  strata_t strata = {0};
  bool is_named[STRATUM_COUNT] = {false};
  g_auto(GStrv) entries = g_strsplit(copy, ",", -1);
  for (size_t i = 0; entries[i] != NULL; i++) {
    STATUS_TRY(parse_share(entries[i], &strata, is_named, error));
  }
  if (sum_shares(&strata) == 0) {
    return status_fail(error, STATUS_INVALID, "no stratum has a share; give one of them 1 or more");
  }
  *out_strata = strata;
  return STATUS_OK;
}

void strata_print(const strata_t *strata, GString *out_text) {
  bool is_first = true;
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    if (strata->shares[i] == 0) continue;
    g_string_append_printf(out_text, "%s%s=%" G_GUINT32_FORMAT, is_first ? "" : ",", rows[i].name,
                           strata->shares[i]);
    is_first = false;
  }
}

/* ---- Drawing --------------------------------------------------------------------------------- */

strata_t strata_of(const strata_t *strata, const op_t *op) {
  enum { SLENDER_FACTOR = 12, THRESHOLDS_FACTOR = 2, SWEPT_FACTOR = 3 };
  strata_t shares = *strata;
  if (op->is_compound) {
    shares.shares[STRATUM_slender] *= SLENDER_FACTOR;
    shares.shares[STRATUM_thresholds] *= THRESHOLDS_FACTOR;
  } else if (op->turns != NULL) {
    shares.shares[STRATUM_swept] *= SWEPT_FACTOR;
  }
  return shares;
}

stratum_t strata_draw(const strata_t *strata, rng_t *rng) {
  uint64_t total = sum_shares(strata);
  if (total == 0) return STRATUM_corner;
  uint64_t ticket = rng_below(rng, total);
  size_t index = 0;
  while (ticket >= strata->shares[index]) ticket -= strata->shares[index++];
  return (stratum_t)index;
}

draw_limits_t stratum_limits(stratum_t stratum, rng_t *rng) {
  static const int64_t thresholds[] = {4096, 4096,  4096,  4096,  4096,
                                       4096, 16384, 16384, 32768, 65536};
  draw_limits_t limits = rows[stratum].limits;
  if (stratum == STRATUM_thresholds) {
    int64_t threshold = thresholds[rng_below(rng, G_N_ELEMENTS(thresholds))];
    limits.elements_max = MIN(limits.elements_max, threshold + rng_between(rng, -1, 1));
  } else if (stratum == STRATUM_slender) {
    limits.elements_max >>= rng_between(rng, 1, 2);
  } else if (limits.sizes == DRAW_SIZES_LONG || limits.sizes == DRAW_SIZES_DEPLOYED) {
    int64_t most = limits.sizes == DRAW_SIZES_LONG ? 5 : 6; /* Halvings: from 8,192 elements on. */
    limits.elements_max >>=
        rng_one_in(rng, 16) ? rng_below(rng, 3) : (uint64_t)rng_between(rng, 3, most);
    limits.terms_max = MIN(limits.terms_max, limits.elements_max);
  }
  return limits;
}

/* ---- Seeds ----------------------------------------------------------------------------------- */

/* The upper 24 bits of a marked seed are MARK + that of the stratum: of random seeds, such as those
 * of before there were strata, one in two million looks so by chance. */
enum { MARK_SHIFT = 40, MARK = 0x57A700 };

static uint64_t set_upper_bits(uint64_t seed, uint64_t bits) {
  return (seed & ((UINT64_C(1) << MARK_SHIFT) - 1)) | bits << MARK_SHIFT;
}

uint64_t stratum_mark_seed(stratum_t stratum, uint64_t seed) {
  if (stratum != STRATUM_corner) return set_upper_bits(seed, MARK + rows[stratum].mark);
  return stratum_of_seed(seed) == STRATUM_corner ? seed : set_upper_bits(seed, MARK);
}

stratum_t stratum_of_seed(uint64_t case_seed) {
  uint64_t bits = case_seed >> MARK_SHIFT;
  for (size_t i = 0; i < STRATUM_COUNT; i++) {
    if (bits == MARK + rows[i].mark) return (stratum_t)i;
  }
  return STRATUM_corner;
}
