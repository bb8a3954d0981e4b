#include "harness/store/store_pending.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Where the texts of a record are: they are copied and freed by these lists. */
#define TEXT(type, field) offsetof(type, field)
static const size_t DIVERGENCE_TEXTS[] = {
    TEXT(store_divergence_t, signature),
    TEXT(store_divergence_t, op),
    TEXT(store_divergence_t, algorithm),
    TEXT(store_divergence_t, types),
    TEXT(store_divergence_t, outcome),
    TEXT(store_divergence_t, class_),
    TEXT(store_divergence_t, constraint),
    TEXT(store_divergence_t, regime),
    TEXT(store_divergence_t, implementation),
    TEXT(store_divergence_t, program_line),
    TEXT(store_divergence_t, case_line),
    TEXT(store_divergence_t, got_bits),
    TEXT(store_divergence_t, got),
    TEXT(store_divergence_t, expected),
    TEXT(store_divergence_t, observed),
    TEXT(store_divergence_t, reason),
    TEXT(store_divergence_t, cause),
    TEXT(store_divergence_t, cause_words),
    TEXT(store_divergence_t, pattern),
};
static const size_t COUNTER_TEXTS[] = {
    TEXT(store_counter_t, op),     TEXT(store_counter_t, algorithm),
    TEXT(store_counter_t, types),  TEXT(store_counter_t, outcome),
    TEXT(store_counter_t, class_), TEXT(store_counter_t, implementation),
};
static const size_t PAIR_TEXTS[] = {
    TEXT(store_pair_t, op),
    TEXT(store_pair_t, algorithm),
    TEXT(store_pair_t, types),
};
static const size_t OBSERVATION_TEXTS[] = {
    TEXT(store_observation_t, op),    TEXT(store_observation_t, algorithm),
    TEXT(store_observation_t, types), TEXT(store_observation_t, observed),
    TEXT(store_observation_t, kind),
};
static const size_t HISTOGRAM_TEXTS[] = {
    TEXT(store_histogram_t, op),      TEXT(store_histogram_t, algorithm),
    TEXT(store_histogram_t, types),   TEXT(store_histogram_t, outcome),
    TEXT(store_histogram_t, measure),
};
static const size_t CONSTRAINT_TEXTS[] = {
    TEXT(store_constraint_t, op),
    TEXT(store_constraint_t, constraint),
    TEXT(store_constraint_t, outcome),
};
#undef TEXT

static char **text_at(void *record, size_t offset) {
  return (char **)((unsigned char *)record + offset);
}

static void copy_texts(void *record, const size_t *offsets, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char **text = text_at(record, offsets[i]);
    *text = g_strdup(*text);
  }
}

static void free_texts(void *record, const size_t *offsets, size_t count) {
  for (size_t i = 0; i < count; i++) g_free(*text_at(record, offsets[i]));
}

static const char *text_or_empty(const char *text) { return text == NULL ? "" : text; }

static store_divergence_t copy_divergence(const store_divergence_t *divergence) {
  store_divergence_t copy = *divergence;
  copy.cause = text_or_empty(copy.cause);
  copy.cause_words = text_or_empty(copy.cause_words);
  copy.pattern = text_or_empty(copy.pattern);
  copy_texts(&copy, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  return copy;
}

static void replace_divergence(store_divergence_t *kept, const store_divergence_t *better) {
  free_texts(kept, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  *kept = copy_divergence(better);
}

static void free_counter(gpointer data) {
  free_texts(data, COUNTER_TEXTS, G_N_ELEMENTS(COUNTER_TEXTS));
  g_free(data);
}

static void free_pair(gpointer data) {
  free_texts(data, PAIR_TEXTS, G_N_ELEMENTS(PAIR_TEXTS));
  g_free(data);
}

static void free_observation(gpointer data) {
  free_texts(data, OBSERVATION_TEXTS, G_N_ELEMENTS(OBSERVATION_TEXTS));
  g_free(data);
}

static void free_histogram(gpointer data) {
  free_texts(data, HISTOGRAM_TEXTS, G_N_ELEMENTS(HISTOGRAM_TEXTS));
  g_free(data);
}

static void free_constraint(gpointer data) {
  free_texts(data, CONSTRAINT_TEXTS, G_N_ELEMENTS(CONSTRAINT_TEXTS));
  g_free(data);
}

static void free_shrunk(gpointer data) {
  free_texts(data, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  g_free(data);
}

static void free_divergence(gpointer data) {
  pending_divergence_t *divergence = data;
  free_texts(&divergence->first, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  free_texts(&divergence->worst, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  free_texts(&divergence->shortest, DIVERGENCE_TEXTS, G_N_ELEMENTS(DIVERGENCE_TEXTS));
  g_free(divergence);
}

static GHashTable *new_table(GDestroyNotify free_value) {
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_value);
}

void pending_init(pending_t *pending) {
  pending->counters = new_table(free_counter);
  pending->pairs = new_table(free_pair);
  pending->observations = new_table(free_observation);
  pending->divergences = g_ptr_array_new_with_free_func(free_divergence);
  pending->findings = new_table(NULL);
  pending->shrunk = g_ptr_array_new_with_free_func(free_shrunk);
  pending->histograms = new_table(free_histogram);
  pending->constraints = new_table(free_constraint);
  pending->times = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  pending->key = g_string_new(NULL);
}

void pending_deinit(pending_t *pending) {
  g_hash_table_destroy(pending->counters);
  g_hash_table_destroy(pending->pairs);
  g_hash_table_destroy(pending->observations);
  g_hash_table_destroy(pending->findings);
  g_hash_table_destroy(pending->histograms);
  g_hash_table_destroy(pending->constraints);
  g_hash_table_destroy(pending->times);
  g_ptr_array_unref(pending->divergences);
  g_ptr_array_unref(pending->shrunk);
  g_string_free(pending->key, TRUE);
}

void pending_clear(pending_t *pending) {
  g_hash_table_remove_all(pending->counters);
  g_hash_table_remove_all(pending->pairs);
  g_hash_table_remove_all(pending->observations);
  g_hash_table_remove_all(pending->findings);
  g_hash_table_remove_all(pending->histograms);
  g_hash_table_remove_all(pending->constraints);
  g_hash_table_remove_all(pending->times);
  g_ptr_array_set_size(pending->divergences, 0);
  g_ptr_array_set_size(pending->shrunk, 0);
}

bool pending_is_empty(const pending_t *pending) {
  return pending->divergences->len == 0 && pending->shrunk->len == 0 &&
         g_hash_table_size(pending->counters) == 0 && g_hash_table_size(pending->pairs) == 0 &&
         g_hash_table_size(pending->observations) == 0 &&
         g_hash_table_size(pending->histograms) == 0 &&
         g_hash_table_size(pending->constraints) == 0 && g_hash_table_size(pending->times) == 0;
}

/* A key is its fields, each ended by a separator that no name contains. */
static void start_key(GString *key, int64_t id) { g_string_printf(key, "%" PRId64 "\n", id); }

static void append_key(GString *key, const char *text) {
  g_string_append(key, text);
  g_string_append_c(key, '\n');
}

/* NaN is "not measured". */
static double larger_measure(double a, double b) { return isnan(a) || b > a ? b : a; }

void pending_count(pending_t *pending, const store_counter_t *counter) {
  start_key(pending->key, counter->run_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n", counter->executor_id);
  append_key(pending->key, counter->op);
  append_key(pending->key, counter->algorithm);
  append_key(pending->key, counter->types);
  append_key(pending->key, counter->outcome);
  append_key(pending->key, counter->class_);
  append_key(pending->key, counter->implementation);
  store_counter_t *sum = g_hash_table_lookup(pending->counters, pending->key->str);
  if (sum == NULL) {
    sum = g_new(store_counter_t, 1);
    *sum = *counter;
    copy_texts(sum, COUNTER_TEXTS, G_N_ELEMENTS(COUNTER_TEXTS));
    g_hash_table_insert(pending->counters, g_strdup(pending->key->str), sum);
    return;
  }
  sum->cases += counter->cases;
  sum->ulp_error_max = larger_measure(sum->ulp_error_max, counter->ulp_error_max);
  sum->slack_max = larger_measure(sum->slack_max, counter->slack_max);
  sum->backward_error_max = larger_measure(sum->backward_error_max, counter->backward_error_max);
}

void pending_add_pair(pending_t *pending, const store_pair_t *pair) {
  start_key(pending->key, pair->run_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n%" PRId64 "\n", pair->first_executor_id,
                         pair->second_executor_id);
  append_key(pending->key, pair->op);
  append_key(pending->key, pair->algorithm);
  append_key(pending->key, pair->types);
  store_pair_t *sum = g_hash_table_lookup(pending->pairs, pending->key->str);
  if (sum == NULL) {
    sum = g_new(store_pair_t, 1);
    *sum = *pair;
    copy_texts(sum, PAIR_TEXTS, G_N_ELEMENTS(PAIR_TEXTS));
    g_hash_table_insert(pending->pairs, g_strdup(pending->key->str), sum);
    return;
  }
  sum->cases += pair->cases;
  sum->alike_wrong += pair->alike_wrong;
  sum->different += pair->different;
  sum->both_conform += pair->both_conform;
  sum->first_diverges += pair->first_diverges;
  sum->second_diverges += pair->second_diverges;
  sum->both_diverge += pair->both_diverge;
  sum->undecided += pair->undecided;
}

void pending_add_observation(pending_t *pending, const store_observation_t *observation) {
  start_key(pending->key, observation->run_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n", observation->executor_id);
  append_key(pending->key, observation->op);
  append_key(pending->key, observation->algorithm);
  append_key(pending->key, observation->types);
  append_key(pending->key, observation->observed);
  append_key(pending->key, observation->kind);
  store_observation_t *sum = g_hash_table_lookup(pending->observations, pending->key->str);
  if (sum == NULL) {
    sum = g_new(store_observation_t, 1);
    *sum = *observation;
    copy_texts(sum, OBSERVATION_TEXTS, G_N_ELEMENTS(OBSERVATION_TEXTS));
    g_hash_table_insert(pending->observations, g_strdup(pending->key->str), sum);
    return;
  }
  sum->cases += observation->cases;
}

void pending_add_histogram(pending_t *pending, const store_histogram_t *histogram) {
  start_key(pending->key, histogram->run_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n%d\n", histogram->executor_id,
                         histogram->bucket);
  append_key(pending->key, histogram->op);
  append_key(pending->key, histogram->algorithm);
  append_key(pending->key, histogram->types);
  append_key(pending->key, histogram->outcome);
  append_key(pending->key, histogram->measure);
  store_histogram_t *sum = g_hash_table_lookup(pending->histograms, pending->key->str);
  if (sum == NULL) {
    sum = g_new(store_histogram_t, 1);
    *sum = *histogram;
    copy_texts(sum, HISTOGRAM_TEXTS, G_N_ELEMENTS(HISTOGRAM_TEXTS));
    g_hash_table_insert(pending->histograms, g_strdup(pending->key->str), sum);
    return;
  }
  sum->cases += histogram->cases;
}

void pending_count_constraint(pending_t *pending, const store_constraint_t *constraint) {
  start_key(pending->key, constraint->run_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n", constraint->executor_id);
  append_key(pending->key, constraint->op);
  append_key(pending->key, constraint->constraint);
  append_key(pending->key, constraint->outcome);
  store_constraint_t *sum = g_hash_table_lookup(pending->constraints, pending->key->str);
  if (sum == NULL) {
    sum = g_new(store_constraint_t, 1);
    *sum = *constraint;
    copy_texts(sum, CONSTRAINT_TEXTS, G_N_ELEMENTS(CONSTRAINT_TEXTS));
    g_hash_table_insert(pending->constraints, g_strdup(pending->key->str), sum);
    return;
  }
  sum->cases += constraint->cases;
}

void pending_set_run_times(pending_t *pending, int64_t run_id, const store_run_times_t *times) {
  int64_t *key = g_new(int64_t, 1);
  store_run_times_t *value = g_new(store_run_times_t, 1);
  *key = run_id;
  *value = *times;
  g_hash_table_insert(pending->times, key, value);
}

void pending_add_shrunk(pending_t *pending, const store_divergence_t *divergence) {
  store_divergence_t *copy = g_new(store_divergence_t, 1);
  *copy = copy_divergence(divergence);
  g_ptr_array_add(pending->shrunk, copy);
}

static double measure_or_least(double measure) { return isnan(measure) ? -1 : measure; }

bool pending_is_worse(const store_divergence_t *a, const store_divergence_t *b) {
  double slack_a = measure_or_least(a->slack);
  double slack_b = measure_or_least(b->slack);
  if (slack_a != slack_b) return slack_a > slack_b;
  return measure_or_least(a->ulp_error) > measure_or_least(b->ulp_error);
}

void pending_add_divergence(pending_t *pending, const store_divergence_t *divergence, int64_t now) {
  start_key(pending->key, divergence->executor_id);
  g_string_append_printf(pending->key, "%" PRId64 "\n", divergence->run_id);
  append_key(pending->key, divergence->signature);
  pending_divergence_t *known = g_hash_table_lookup(pending->findings, pending->key->str);
  if (known == NULL) {
    known = g_new(pending_divergence_t, 1);
    *known = (pending_divergence_t){.sightings = 1,
                                    .run_id = divergence->run_id,
                                    .first_seen = now,
                                    .last_seen = now,
                                    .first = copy_divergence(divergence),
                                    .worst = copy_divergence(divergence),
                                    .shortest = copy_divergence(divergence)};
    g_hash_table_insert(pending->findings, g_strdup(pending->key->str), known);
    g_ptr_array_add(pending->divergences, known);
    return;
  }
  known->sightings++;
  known->last_seen = now;
  if (pending_is_worse(divergence, &known->worst)) replace_divergence(&known->worst, divergence);
  if (strlen(divergence->case_line) < strlen(known->shortest.case_line)) {
    replace_divergence(&known->shortest, divergence);
  }
}
