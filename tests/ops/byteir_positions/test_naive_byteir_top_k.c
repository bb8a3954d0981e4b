/* SPDX-License-Identifier: Apache-2.0 */
/* byteir.top_k, evaluated naively: picks are held against every element that was not picked and
 * against each other, under each of the orders that the contract permits; nothing is sorted. */
#include "generated/byteir_positions_permissions.h"
#include "oracles/ops/byteir_positions/byteir_positions.h"
#include "tests/ops/byteir_positions/naive_byteir_positions.h"
#include "tests/ops/naive.h"

/* NaNs of both signs and two payloads each, zeros of both signs, one number. */
static const alphabet_t nans = {7,
                                {{0x7e00, NAN},
                                 {0x7e01, NAN},
                                 {0xfe00, NAN},
                                 {0xfe01, NAN},
                                 {0x8000, -0.0},
                                 {0x0000, 0.0},
                                 {0x3c00, 1}}};

static const alphabet_t few = {4,
                               {{0x7e00, NAN}, {0x8000, -0.0}, {0x0000, 0.0}, {0xfc00, -INFINITY}}};

static const alphabet_t tiny = {
    5, {{0x8001, -0x1p-24}, {0x8000, -0.0}, {0x0001, 0x1p-24}, {0x0000, 0.0}, {0x8400, -0x1p-14}}};

/* ---- The rules ------------------------------------------------------------------------------- */

typedef enum nan_place { NANS_FIRST, NANS_LAST, NANS_BY_PATTERN, NAN_PLACES } nan_place_t;

/* One way to compare. */
typedef struct way {
  nan_place_t nans;
  bool orders_zeros;
  bool flushes;
  bool is_stable;
} way_t;

/* Numbers that ascend with what stands before what: a NaN lies outside all numbers. */
static double height(const way_t *way, letter_t letter) {
  bool is_negative = letter.bits >> 15 != 0;
  if (!isnan(letter.number)) {
    double number = picks_read(letter, way->flushes);
    /* Half of the smallest subnormal number apart. */
    if (number == 0 && way->orders_zeros) return is_negative ? -0x1p-25 : 0;
    return isinf(number) ? copysign(0x1p20, number) : number;
  }
  if (way->nans == NANS_FIRST) return 0x1p30;
  if (way->nans == NANS_LAST) return -0x1p30;
  double payload = letter.bits & 0x3ff;
  return is_negative ? -0x1p30 - payload : 0x1p30 + payload;
}

/* What an implementation picked from a row. */
typedef struct picks {
  size_t k;
  bool is_sorted;
  size_t places[ROW_MAX];
  letter_t values[ROW_MAX];
} picks_t;

static bool stands_before(const way_t *way, const letter_t *row, size_t a, size_t b) {
  double left = height(way, row[a]), right = height(way, row[b]);
  if (left != right) return left > right;
  return way->is_stable && a < b;
}

static bool is_picked(const picks_t *picks, size_t place) {
  for (size_t i = 0; i < picks->k; i++) {
    if (picks->places[i] == place) return true;
  }
  return false;
}

static bool explains(const way_t *way, const letter_t *row, size_t size, const picks_t *picks) {
  for (size_t i = 0; i < picks->k; i++) {
    size_t place = picks->places[i];
    for (size_t j = 0; j < i; j++) {
      if (picks->places[j] == place) return false;
      if (picks->is_sorted && stands_before(way, row, place, picks->places[j])) return false;
    }
    for (size_t other = 0; other < size; other++) {
      if (!is_picked(picks, other) && stands_before(way, row, other, place)) return false;
    }
  }
  return true;
}

static bool permits(const contract_t *contract, const way_t *way) {
  bool may_flush = PERMITTED(contract, ftz) == FTZ_INPUTS || PERMITTED(contract, ftz) == FTZ_BOTH;
  bool has_nans =
      PERMITTED(contract, top_k_nan) == NAN_PLACES || PERMITTED(contract, top_k_nan) == way->nans;
  bool has_zeros = PERMITTED(contract, top_k_zeros) == 2 ||
                   PERMITTED(contract, top_k_zeros) == way->orders_zeros;
  bool has_ties = PERMITTED(contract, top_k_ties) == 1 || way->is_stable;
  return has_nans && has_zeros && has_ties && (may_flush || !way->flushes);
}

static bool is_due(const contract_t *contract, const letter_t *row, size_t size,
                   const picks_t *picks) {
  for (size_t i = 0; i < picks->k; i++) {
    if (picks->places[i] >= size) return false;
    if (!picks_same_value(contract, row[picks->places[i]], picks->values[i])) return false;
  }
  for (unsigned number = 0; number < NAN_PLACES * 8; number++) {
    const way_t way = {number / 8, (number & 1) != 0, (number & 2) != 0, (number & 4) != 0};
    if (permits(contract, &way) && explains(&way, row, size, picks)) return true;
  }
  return false;
}

/* ---- Every row, every result ----------------------------------------------------------------- */

/* All rows of a size over an alphabet, and what is picked from each of them alike. */
typedef struct sweep {
  const alphabet_t *alphabet;
  contract_t contract;
  size_t size;
  case_t instance;
  question_t question;
  tensor_t results[CASE_RESULTS_MAX];
  decision_memo_t memo;
  arena_t arena;
  size_t asked;
  size_t conforming; /* Rows. */
} sweep_t;

static void sweep_init(const alphabet_t *alphabet, const char *contract, size_t size, size_t k,
                       bool is_sorted, sweep_t *sweep) {
  arena_init(&sweep->arena);
  decision_memo_init(&sweep->memo);
  sweep->alphabet = alphabet;
  sweep->contract = picks_contract(contract);
  sweep->size = size;
  sweep->asked = sweep->conforming = 0;
  size_t rows = picks_row_count(alphabet, size);
  g_autofree char *line = g_strdup_printf(
      "byteir.top_k k=%zu axis=[1] sorted=%s f16[%zu,%zu] -> f16[%zu,%zu] i8[%zu,%zu]", k,
      is_sorted ? "true" : "false", rows, size, rows, k, rows, k);
  sweep->instance = picks_case(line, &sweep->arena);
  picks_fill(alphabet, size, &sweep->instance);
  g_assert_cmpint(
      question_make(&sweep->instance, &sweep->contract, &sweep->arena, &sweep->question), ==,
      STATUS_OK);
  picks_make_results(&sweep->instance.program, &sweep->arena, sweep->results);
}

static void sweep_deinit(sweep_t *sweep) {
  decision_memo_deinit(&sweep->memo);
  arena_deinit(&sweep->arena);
}

static bool decide(sweep_t *sweep, uint32_t result, size_t component) {
  answer_t answer = {0};
  failure_t error = {.text = ""};
  arena_mark_t mark = arena_mark(&sweep->arena);
  const oracle_call_t call = {.instance = &sweep->instance,
                              .contract = &sweep->contract,
                              .results = sweep->results,
                              .memo = &sweep->memo,
                              .arena = &sweep->arena,
                              .error = &error};
  status_t status = sweep->question.oracle->decide(&call, result, component, &answer);
  g_assert_cmpint(status, ==, STATUS_OK);
  arena_rewind(&sweep->arena, mark);
  const element_t *element = sweep->results[result].type.element;
  uint64_t bits = element_load(element, sweep->results[result].data, component);
  bool is_held = accept_holds(&sweep->question.accepts[result], element, component, bits);
  g_assert_true(answer.conforms || !is_held);
  sweep->asked++;
  return answer.conforms;
}

static void complain(const letter_t *row, size_t size, const picks_t *picks, bool conforms) {
  GString *text = g_string_new(picks->is_sorted ? "sorted" : "unsorted");
  for (size_t i = 0; i < size; i++) g_string_append_printf(text, " %04x", row[i].bits);
  g_string_append(text, ":");
  for (size_t i = 0; i < picks->k; i++) {
    g_string_append_printf(text, " %zu (%04x)", picks->places[i], picks->values[i].bits);
  }
  g_error("%s conforms: %d", text->str, conforms);
}

/* The same picks of row number `row`. */
static void check_row(sweep_t *sweep, size_t row, const letter_t *letters, const picks_t *picks) {
  for (size_t i = 0; i < picks->k; i++) {
    size_t component = row * picks->k + i;
    element_store(element_named("f16"), sweep->results[0].data, component, picks->values[i].bits);
    element_store(element_named("i8"), sweep->results[1].data, component, picks->places[i]);
  }
  bool conforms = true;
  for (size_t i = 0; i < picks->k; i++) {
    conforms = decide(sweep, 0, row * picks->k + i) && conforms;
    conforms = decide(sweep, 1, row * picks->k + i) && conforms;
  }
  sweep->conforming += conforms ? 1 : 0;
  if (conforms != is_due(&sweep->contract, letters, sweep->size, picks)) {
    complain(letters, sweep->size, picks, conforms);
  }
}

/* All tuples of k indices, in short rows those beyond the row too, with the values of these
 * elements; and each with one value replaced. */
static void check_tuples(sweep_t *sweep, size_t k, bool is_sorted, bool replaces) {
  size_t tuples = 1, letter_count = sweep->alphabet->count;
  size_t places = sweep->size <= 3 ? sweep->size + 1 : sweep->size;
  for (size_t i = 0; i < k; i++) tuples *= places;
  for (size_t row = 0; row < picks_row_count(sweep->alphabet, sweep->size); row++) {
    letter_t letters[ROW_MAX];
    picks_row(sweep->alphabet, row, sweep->size, letters);
    for (size_t tuple = 0; tuple < tuples; tuple++) {
      picks_t picks = {.k = k, .is_sorted = is_sorted};
      for (size_t i = 0, rest = tuple; i < k; i++, rest /= places) {
        picks.places[i] = rest % places;
        picks.values[i] = letters[picks.places[i] % sweep->size];
      }
      check_row(sweep, row, letters, &picks);
      if (!replaces) continue;
      size_t place = (row + tuple) % k;
      picks.values[place] = sweep->alphabet->letters[(row * 7 + tuple) % letter_count];
      check_row(sweep, row, letters, &picks);
    }
  }
}

static void sweep_all(const alphabet_t *alphabet, const char *contract, size_t size,
                      bool replaces) {
  size_t asked = 0, conforming = 0;
  for (size_t k = 1; k <= size; k++) {
    for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
      sweep_t sweep;
      sweep_init(alphabet, contract, size, k, is_sorted == 1, &sweep);
      check_tuples(&sweep, k, is_sorted == 1, replaces);
      asked += sweep.asked;
      conforming += sweep.conforming;
      sweep_deinit(&sweep);
    }
  }
  g_test_message("%s, rows of %zu: %zu components asked, %zu rows conform", contract, size, asked,
                 conforming);
}

static void test_every_order(void) {
  static const char *const zeros[] = {"equal", "ordered", "any"};
  static const char *const places[] = {"greatest", "least", "ordered", "any"};
  for (size_t i = 0; i < G_N_ELEMENTS(zeros) * G_N_ELEMENTS(places) * 2; i++) {
    g_autofree char *contract =
        g_strdup_printf("top_k_zeros=%s,top_k_nan=%s,top_k_ties=%s", zeros[i % 3],
                        places[i / 3 % 4], i / 12 == 0 ? "stable" : "any");
    sweep_all(&nans, contract, 3, i % 5 == 0);
  }
}

static void test_longer_rows(void) {
  static const char *const contracts[] = {"spec", "top_k_ties=any",
                                          "top_k_ties=any,top_k_nan=any,top_k_zeros=any"};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) sweep_all(&few, contracts[i], 4, false);
}

static void test_flushing(void) {
  static const char *const contracts[] = {"ftz=none", "ftz=inputs", "ftz=outputs,zero_sign=any",
                                          "ftz=both,top_k_zeros=any", "ftz=both,top_k_ties=any"};
  for (size_t i = 0; i < G_N_ELEMENTS(contracts); i++) sweep_all(&tiny, contracts[i], 3, true);
}

/* One memo serves all contracts, and results that change. */
static void test_memo(void) {
  static const struct {
    const char *contract;
    int8_t first, second; /* Indices picked from three equal elements. */
    bool conforms;
  } steps[] = {
      {"backend", 2, 1, false}, {"top_k_ties=any", 2, 1, true},  {"backend", 2, 1, false},
      {"backend", 0, 1, true},  {"top_k_ties=any", 2, 2, false}, {"top_k_ties=any", 2, 0, true},
  };
  sweep_t sweep;
  sweep_init(&few, "backend", 3, 2, true, &sweep);
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    sweep.contract = picks_contract(steps[i].contract);
    element_store(element_named("i8"), sweep.results[1].data, 0, (uint8_t)steps[i].first);
    element_store(element_named("i8"), sweep.results[1].data, 1, (uint8_t)steps[i].second);
    element_store(element_named("f16"), sweep.results[0].data, 0, 0x7e00);
    element_store(element_named("f16"), sweep.results[0].data, 1, 0x7e00);
    bool conforms = decide(&sweep, 1, 0);
    conforms = decide(&sweep, 1, 1) && conforms;
    g_assert_cmpint(conforms, ==, steps[i].conforms);
  }
  sweep_deinit(&sweep);
}

/* ---- Other types, axes and lengths ----------------------------------------------------------- */

/* The place of the element with so many before it in its row, by counting those for each. */
static size_t find_rank(const case_t *instance, size_t row, size_t rank) {
  const tensor_t *operand = &instance->operands[0];
  const element_t *element = operand->type.element;
  byteir_rows_t rows = byteir_rows_make(&operand->type, byteir_top_k_axis(&instance->program));
  for (size_t place = 0; place < rows.size; place++) {
    size_t before = 0;
    naive_value_t own = naive_load(operand, byteir_rows_element(&rows, row, place), element);
    for (size_t i = 0; i < rows.size; i++) {
      naive_value_t other = naive_load(operand, byteir_rows_element(&rows, row, i), element);
      bool is_float = element->format != NULL;
      bool is_greater = is_float ? other.real > own.real || (isnan(other.real) && !isnan(own.real))
                                 : other.integer > own.integer;
      bool is_less = is_float ? other.real < own.real || (isnan(own.real) && !isnan(other.real))
                              : other.integer < own.integer;
      before += is_greater || (!is_less && i < place) ? 1 : 0;
    }
    if (before == rank) return place;
  }
  g_assert_not_reached();
}

static void store_pick(const case_t *instance, tensor_t *results, size_t component, size_t row,
                       size_t place) {
  const tensor_t *operand = &instance->operands[0];
  const element_t *element = operand->type.element;
  byteir_rows_t rows = byteir_rows_make(&operand->type, byteir_top_k_axis(&instance->program));
  size_t from = byteir_rows_element(&rows, row, place);
  element_store(element, results[0].data, component, element_load(element, operand->data, from));
  element_store(results[1].type.element, results[1].data, component, place);
}

static bool row_conforms(const question_t *question, const tensor_t *results,
                         const byteir_rows_t *picks, size_t row) {
  bool conforms = true;
  for (size_t i = 0; i < picks->size; i++) {
    conforms = picks_conform(question, results, byteir_rows_element(picks, row, i)) && conforms;
  }
  return conforms;
}

/* The naive picks conform; exchanged, only if unsorted; with one of them replaced by what was not
 * picked, never. */
static void check_drawn_row(rng_t *rng, const question_t *question, tensor_t *results, size_t row) {
  const case_t *instance = question->instance;
  uint32_t axis = byteir_top_k_axis(&instance->program);
  byteir_rows_t picks = byteir_rows_make(&results[0].type, axis);
  size_t size = (size_t)instance->operands[0].type.dims[axis], k = picks.size;
  bool is_sorted = byteir_top_k_attributes(&instance->program)->sorted != 0;
  for (size_t i = 0; i < k; i++) {
    size_t component = byteir_rows_element(&picks, row, i);
    store_pick(instance, results, component, row, find_rank(instance, row, i));
  }
  g_assert_true(row_conforms(question, results, &picks, row));
  size_t a = rng_below(rng, k), b = rng_below(rng, k);
  size_t first = byteir_rows_element(&picks, row, a), second = byteir_rows_element(&picks, row, b);
  size_t place_a = find_rank(instance, row, a), place_b = find_rank(instance, row, b);
  store_pick(instance, results, first, row, place_b);
  store_pick(instance, results, second, row, place_a);
  g_assert_cmpint(row_conforms(question, results, &picks, row), ==, !is_sorted || a == b);
  if (k == size) return;
  size_t outside = find_rank(instance, row, k + rng_below(rng, size - k));
  store_pick(instance, results, first, row, outside);
  g_assert_false(row_conforms(question, results, &picks, row));
}

static void test_drawn(void) {
  const draw_limits_t limits = {.rank_max = 4, .elements_max = 120, .terms_max = 40};
  const op_t *op = check_find_op("byteir.top_k");
  const contract_t contract = contract_backend();
  rng_t rng = rng_make(0x70);
  arena_t arena;
  arena_init(&arena);
  for (int i = 0; i < 2500; i++) {
    arena_reset(&arena);
    program_t program;
    op->draw(&rng, &limits, &arena, &program);
    case_t instance = case_make(&arena, &program);
    op->draw_edges(&rng, &instance);
    question_t question;
    g_assert_cmpint(question_make(&instance, &contract, &arena, &question), ==, STATUS_OK);
    tensor_t results[CASE_RESULTS_MAX];
    picks_make_results(&program, &arena, results);
    byteir_rows_t picks = byteir_rows_make(&results[0].type, byteir_top_k_axis(&program));
    for (size_t row = 0; row < picks.count && picks.size > 0; row++) {
      check_drawn_row(&rng, &question, results, row);
    }
  }
  arena_deinit(&arena);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/naive_byteir_top_k/every_order", test_every_order);
  g_test_add_func("/naive_byteir_top_k/longer_rows", test_longer_rows);
  g_test_add_func("/naive_byteir_top_k/flushing", test_flushing);
  g_test_add_func("/naive_byteir_top_k/memo", test_memo);
  g_test_add_func("/naive_byteir_top_k/drawn", test_drawn);
  return g_test_run();
}
