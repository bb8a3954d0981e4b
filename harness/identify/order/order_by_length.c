/* SPDX-License-Identifier: Apache-2.0 */
/* Walks upwards through the numbers of terms: identifies one length, extends its rules by checking
 * further lengths, and starts a new range where all of them fail. */
#include "harness/identify/order/order_by_length.h"

#include "harness/base/rng.h"
#include "harness/identify/order/sum_rule.h"
#include "harness/identify/profile/words.h"

enum {
  VECTORS = 32,        /* Random ones, to check a rule at one length. */
  STEPS_BY_ONE = 1000, /* Lengths that are checked one after the other, ... */
  STEPS_IF_DEAR = 40,
  LENGTHS_BETWEEN = 24, /* Random ones, of those that were stepped over. */
  WITHOUT_RULE_MAX = 32 /* More lengths without a rule, one after the other, end the map. */
};

/* A range in the making. */
typedef struct segment {
  arena_t arena; /* Of what was identified at `low`. */
  size_t low;
  size_t high; /* The last length at which a rule holds. */
  identification_t found;
  size_t rule_count;
  sum_rule_t rules[SUM_RULES_MAX]; /* Those that have held so far. */
  size_t checked;
} segment_t;

typedef struct finder {
  const length_source_t *source;
  arena_t arena; /* Of one length. */
  rng_t rng;
  order_by_length_t *map;
} finder_t;

/* ---- One length ------------------------------------------------------------------------------ */

/* A sum of -0 alone tells where sums start; random terms hardly ever do. */
static status_t check_zeros(black_box_sum_t *black_box, const profile_t *profile, arena_t *arena,
                            bool *out_holds, failure_t *error) {
  size_t count = black_box->term_count;
  bool is_product = black_box->right != NULL;
  double *left = ARENA_NEW_ARRAY(arena, double, count);
  double *right = is_product ? ARENA_NEW_ARRAY(arena, double, count) : NULL;
  double *scratch = ARENA_NEW_ARRAY(arena, double, profile_scratch_count(profile));
  for (size_t i = 0; i < count; i++) {
    left[i] = -0.0;
    if (is_product) right[i] = 1;
  }
  uint64_t observed;
  STATUS_TRY(black_box_sum_run(black_box, left, right, -0.0, &observed, error));
  uint64_t expected = profile_predict(profile, left, right, -0.0, scratch);
  *out_holds = profile_same_bits(black_box->result, expected, observed);
  return STATUS_OK;
}

static status_t check_profile(finder_t *finder, black_box_sum_t *black_box,
                              const profile_t *profile, bool *out_holds, failure_t *error) {
  identification_t check = {.checked = 0};
  uint64_t seed = rng_bits(&finder->rng);
  const check_data_t data = {.seed = seed, .count = VECTORS};
  STATUS_TRY(identify_check(black_box, profile, &data, &finder->arena, &check, error));
  *out_holds = check.predicted == check.checked;
  if (*out_holds) STATUS_TRY(check_zeros(black_box, profile, &finder->arena, out_holds, error));
  const length_source_t *source = finder->source;
  if (!*out_holds || source->check == NULL) return STATUS_OK;
  return source->check(source->context, profile, seed, &finder->arena, out_holds, error);
}

/* Rules that give one tree at some length hold there together: texts of profiles, and whether they
 * hold. */
typedef struct verdicts {
  GHashTable *by_text;
} verdicts_t;

static verdicts_t verdicts_make(void) {
  return (verdicts_t){g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
}

static void verdicts_free(verdicts_t *verdicts) { g_hash_table_unref(verdicts->by_text); }

static status_t check_rule(finder_t *finder, black_box_sum_t *black_box, const sum_rule_t *rule,
                           verdicts_t *verdicts, bool *out_holds, failure_t *error) {
  profile_t profile;
  *out_holds = sum_rule_apply(rule, black_box->program_line, black_box->term_count, &finder->arena,
                              &profile, NULL) == STATUS_OK;
  if (!*out_holds) return STATUS_OK;
  GString *text = g_string_new(NULL);
  profile_print(&profile, text);
  char *key = g_string_free(text, FALSE);
  gpointer known;
  if (g_hash_table_lookup_extended(verdicts->by_text, key, NULL, &known)) {
    *out_holds = GPOINTER_TO_INT(known) != 0;
    g_free(key);
    return STATUS_OK;
  }
  status_t status = check_profile(finder, black_box, &profile, out_holds, error);
  g_hash_table_insert(verdicts->by_text, key, GINT_TO_POINTER(*out_holds ? 1 : 0));
  return status;
}

/* Drops the rules that do not hold at that length, unless none would be left: *out_holds. */
static status_t check_rules(finder_t *finder, segment_t *segment, size_t term_count,
                            bool *out_holds, failure_t *error) {
  arena_reset(&finder->arena);
  black_box_sum_t *black_box;
  *out_holds = false;
  status_t status =
      finder->source->open(finder->source->context, term_count, &finder->arena, &black_box, error);
  if (status == STATUS_UNSUPPORTED) return STATUS_OK;
  STATUS_TRY(status);
  size_t calls = black_box->calls;
  size_t held_count = 0;
  sum_rule_t held[SUM_RULES_MAX];
  verdicts_t verdicts = verdicts_make();
  status_t status_of_check = STATUS_OK;
  for (size_t i = 0; i < segment->rule_count && status_of_check == STATUS_OK; i++) {
    bool holds;
    status_of_check = check_rule(finder, black_box, &segment->rules[i], &verdicts, &holds, error);
    if (holds) held[held_count++] = segment->rules[i];
  }
  verdicts_free(&verdicts);
  finder->map->calls += black_box->calls - calls;
  STATUS_TRY(status_of_check);
  *out_holds = held_count > 0;
  if (held_count == 0) return STATUS_OK;
  segment->checked++;
  segment->rule_count = held_count;
  for (size_t i = 0; i < held_count; i++) segment->rules[i] = held[i];
  return STATUS_OK;
}

/* ---- One range ------------------------------------------------------------------------------- */

/* The last length at which a rule holds, of those below `bad`, at which none does. */
static status_t bisect(finder_t *finder, segment_t *segment, size_t good, size_t bad,
                       failure_t *error) {
  while (bad - good > 1) {
    size_t middle = good + (bad - good) / 2;
    bool holds;
    STATUS_TRY(check_rules(finder, segment, middle, &holds, error));
    if (holds) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  segment->high = good;
  return STATUS_OK;
}

static size_t steps_by_one(const finder_t *finder) {
  return finder->source->is_dear ? STEPS_IF_DEAR : STEPS_BY_ONE;
}

static status_t step_up(finder_t *finder, segment_t *segment, size_t high, failure_t *error) {
  while (segment->high < high) {
    size_t walked = segment->high - segment->low;
    size_t step = walked < steps_by_one(finder) ? 1 : walked / 2;
    size_t next = MIN(high, segment->high + step);
    bool holds;
    STATUS_TRY(check_rules(finder, segment, next, &holds, error));
    if (!holds) return bisect(finder, segment, segment->high, next, error);
    segment->high = next;
  }
  return STATUS_OK;
}

static status_t look_between(finder_t *finder, segment_t *segment, failure_t *error) {
  for (int i = 0; i < LENGTHS_BETWEEN; i++) {
    size_t first = segment->low + steps_by_one(finder) + 1;
    if (segment->high <= first) return STATUS_OK;
    size_t between = first + rng_below(&finder->rng, segment->high - first);
    bool holds;
    STATUS_TRY(check_rules(finder, segment, between, &holds, error));
    if (!holds) STATUS_TRY(bisect(finder, segment, first - 1, between, error));
  }
  return STATUS_OK;
}

static status_t find_segment(finder_t *finder, size_t low, size_t high, segment_t *segment,
                             failure_t *error) {
  segment->low = segment->high = low;
  segment->rule_count = 0;
  segment->checked = 1;
  black_box_sum_t *black_box;
  failure_t failure = {0};
  segment->found = (identification_t){.identity = IDENTITY_NO_TREE};
  status_t status =
      finder->source->open(finder->source->context, low, &segment->arena, &black_box, &failure);
  if (status == STATUS_UNSUPPORTED) {
    g_strlcpy(segment->found.reason, failure.text, sizeof segment->found.reason);
    return STATUS_OK;
  }
  if (status != STATUS_OK) return status_fail(error, status, "%s", failure.text);
  const identify_options_t options = {.seed = rng_bits(&finder->rng)};
  STATUS_TRY(identify(black_box, &options, &segment->arena, &segment->found, error));
  finder->map->calls += black_box->calls;
  if (segment->found.identity != IDENTITY_FOUND) return STATUS_OK;
  const profile_t *profile = &segment->found.profile;
  segment->rule_count = sum_rules_find(profile, &segment->arena, segment->rules);
  bool holds = true;
  if (finder->source->check != NULL) {
    STATUS_TRY(finder->source->check(finder->source->context, profile, options.seed,
                                     &segment->arena, &holds, error));
  }
  if (!holds) {
    segment->found.identity = IDENTITY_CONTRADICTED;
    g_strlcpy(segment->found.reason, "result elements are summed in different ways",
              sizeof segment->found.reason);
    return STATUS_OK;
  }
  if (segment->rule_count == 0) return STATUS_OK;
  STATUS_TRY(step_up(finder, segment, high, error));
  return look_between(finder, segment, error);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static void entry_free(gpointer data) {
  length_entry_t *entry = data;
  g_free(entry->text);
  g_free(entry->rule);
  g_free(entry->words);
  g_free(entry);
}

/* Of a long sum, since short ones look alike. */
static void describe_rule(segment_t *segment, GString *out_words) {
  enum { TERMS_MAX = 1000 };
  const sum_rule_t *rule = &segment->rules[0];
  profile_t profile;
  size_t term_count = MAX(segment->low, MIN(segment->high, TERMS_MAX));
  bool is_made = sum_rule_apply(rule, "", term_count, &segment->arena, &profile, NULL) == STATUS_OK;
  profile_words_by_rule(rule, is_made ? &profile : &segment->found.profile, out_words);
}

static length_entry_t *make_entry(segment_t *segment) {
  length_entry_t *entry = g_new0(length_entry_t, 1);
  entry->low = segment->low;
  entry->high = segment->high;
  entry->checked = segment->checked;
  GString *rule = g_string_new(NULL);
  GString *words = g_string_new(NULL);
  if (segment->found.identity != IDENTITY_FOUND) {
    bool is_refused = !segment->found.has_profile && segment->found.tree_calls == 0;
    g_string_append_printf(words, "%s: %s",
                           is_refused ? "refused" : identity_name(segment->found.identity),
                           segment->found.reason);
  } else {
    GString *text = g_string_new(NULL);
    profile_print(&segment->found.profile, text);
    entry->text = g_string_free(text, FALSE);
    if (segment->rule_count > 0) {
      sum_rule_print(&segment->rules[0], rule);
      describe_rule(segment, words);
    } else {
      profile_words(&segment->found.profile, words);
    }
  }
  entry->rule = g_string_free(rule, FALSE);
  entry->words = g_string_free(words, FALSE);
  return entry;
}

/* The profile that an entry gives for a length in its range; false if it gives none. */
static bool make_at(const length_entry_t *entry, size_t term_count, arena_t *arena,
                    profile_t *out_profile) {
  if (entry->text == NULL) return false;
  profile_t *like = ARENA_NEW_ARRAY(arena, profile_t, 1);
  if (profile_parse(str_from(entry->text), arena, like, NULL) != STATUS_OK) return false;
  *out_profile = *like;
  if (like->term_count == term_count) return true;
  sum_rule_t rule;
  return sum_rule_parse(str_from(entry->rule), like, arena, &rule, NULL) == STATUS_OK &&
         sum_rule_apply(&rule, "", term_count, arena, out_profile, NULL) == STATUS_OK;
}

static bool prints_alike(profile_t a, profile_t b) {
  a.program_line = b.program_line = "";
  g_autoptr(GString) first = g_string_new(NULL);
  g_autoptr(GString) second = g_string_new(NULL);
  profile_print(&a, first);
  profile_print(&b, second);
  return g_string_equal(first, second);
}

/* Whether an entry holds at a length of the one before: it gives the same tree, or another one that
 * predicts as well.  (A last block of one term looks like one more term.) */
static status_t holds_at(finder_t *finder, const length_entry_t *entry,
                         const length_entry_t *before, size_t term_count, bool *out_holds,
                         failure_t *error) {
  arena_reset(&finder->arena);
  profile_t own;
  profile_t other;
  *out_holds = make_at(entry, term_count, &finder->arena, &own) &&
               make_at(before, term_count, &finder->arena, &other);
  if (!*out_holds || prints_alike(own, other)) return STATUS_OK;
  black_box_sum_t *black_box;
  STATUS_TRY(
      finder->source->open(finder->source->context, term_count, &finder->arena, &black_box, error));
  own.program_line = black_box->program_line;
  size_t calls = black_box->calls;
  status_t status = check_profile(finder, black_box, &own, out_holds, error);
  finder->map->calls += black_box->calls - calls;
  return status;
}

/* Whether an entry holds for all lengths of the one before; from the last one on, where it is the
 * least likely not to. */
static status_t covers(finder_t *finder, const length_entry_t *entry, const length_entry_t *before,
                       bool *out_covers, failure_t *error) {
  enum { LENGTHS_MAX = 1024 };
  *out_covers = entry->rule[0] != '\0' && before->high - before->low < LENGTHS_MAX;
  for (size_t n = before->high; n >= before->low && *out_covers; n--) {
    STATUS_TRY(holds_at(finder, entry, before, n, out_covers, error));
  }
  return STATUS_OK;
}

/* The lengths from `low` on, which are left alone. */
static length_entry_t *make_rest(size_t low, size_t high) {
  length_entry_t *entry = g_new0(length_entry_t, 1);
  entry->low = low;
  entry->high = high;
  entry->rule = g_strdup("");
  entry->words =
      g_strdup_printf("not mapped, since %d lengths before have no rule", WITHOUT_RULE_MAX);
  return entry;
}

/* Short sums have simple trees, which the rule of longer ones may give as well. */
static status_t add_entry(finder_t *finder, length_entry_t *entry, failure_t *error) {
  GPtrArray *entries = finder->map->entries;
  g_ptr_array_add(entries, entry);
  while (entries->len > 1) {
    const length_entry_t *before = g_ptr_array_index(entries, entries->len - 2);
    bool covered;
    STATUS_TRY(covers(finder, entry, before, &covered, error));
    if (!covered) break;
    entry->low = before->low;
    entry->checked += before->checked;
    g_ptr_array_remove_index(entries, entries->len - 2);
  }
  return STATUS_OK;
}

status_t order_by_length_find(const length_source_t *source, size_t low, size_t high, uint64_t seed,
                              order_by_length_t *out_map, failure_t *error) {
  *out_map = (order_by_length_t){.entries = g_ptr_array_new_with_free_func(entry_free)};
  finder_t finder = {.source = source, .rng = rng_make(seed), .map = out_map};
  arena_init(&finder.arena);
  segment_t *segment = g_new0(segment_t, 1);
  arena_init(&segment->arena);
  status_t status = STATUS_OK;
  int without_rule = 0;
  for (size_t n = low; n <= high && status == STATUS_OK; n = segment->high + 1) {
    if (without_rule == WITHOUT_RULE_MAX) {
      g_ptr_array_add(out_map->entries, make_rest(n, high));
      break;
    }
    arena_reset(&segment->arena);
    status = find_segment(&finder, n, high, segment, error);
    if (status != STATUS_OK) break;
    without_rule = segment->rule_count > 0 ? 0 : without_rule + 1;
    status = add_entry(&finder, make_entry(segment), error);
  }
  arena_deinit(&segment->arena);
  g_free(segment);
  arena_deinit(&finder.arena);
  if (status != STATUS_OK) order_by_length_free(out_map);
  return status;
}

void order_by_length_free(order_by_length_t *map) {
  g_ptr_array_unref(map->entries);
  *map = (order_by_length_t){.entries = NULL};
}
