/* SPDX-License-Identifier: Apache-2.0 */
/* Holds kept results against contracts; and looks for a result that tells two contracts apart: the
 * ends of the looser fast sets, and of what the exact side accepts around the result that came. */
#include "harness/infer/kept.h"

#include <math.h>
#include <string.h>

#include "harness/judge/judge.h"

enum {
  COMPONENTS_LOOKED_AT = 256, /* Of a result, for ends of fast sets. */
  ENDS_DECIDED = 3,           /* Of a case. */
  COMPONENTS_PROBED = 2,      /* Of a case, where no fast set is known. */
  PROBE_STEPS = 12,           /* Each twice as far as the one before. */
};

/* What the contract cannot say is no error. */
static bool has_no_answer(status_t status) {
  return status == STATUS_UNSUPPORTED || status == STATUS_UNDECIDED;
}

/* ---- Fast sets ------------------------------------------------------------------------------- */

status_t kept_accept(const kept_t *kept, const contract_t *contract, arena_t *arena,
                     accept_t out_accepts[CASE_RESULTS_MAX], bool *out_is_known, failure_t *error) {
  *out_is_known = program_broken_under(&kept->instance.program, NULL, contract) == NULL;
  if (!*out_is_known) return STATUS_OK;
  const oracle_call_t call = {
      .instance = &kept->instance, .contract = contract, .arena = arena, .error = error};
  status_t status = kept->oracle->accept(&call, out_accepts);
  *out_is_known = status == STATUS_OK;
  return has_no_answer(status) ? STATUS_OK : status;
}

static bool are_equal(const void *a, const void *b, size_t bytes) {
  if (a == NULL || b == NULL) return a == b;
  return memcmp(a, b, bytes) == 0;
}

static bool accept_equal(const accept_t *a, const accept_t *b) {
  size_t count = a->count, doubles = count * sizeof(double);
  return a->grid == b->grid && are_equal(a->bits, b->bits, count * sizeof *a->bits) &&
         are_equal(a->low, b->low, doubles) && are_equal(a->high, b->high, doubles) &&
         are_equal(a->other_low, b->other_low, doubles) &&
         are_equal(a->other_high, b->other_high, doubles) &&
         are_equal(a->specials, b->specials, count) && are_equal(a->decide, b->decide, count) &&
         are_equal(a->twin, b->twin, count * sizeof *a->twin);
}

bool kept_accepts_equal(const kept_t *kept, const accept_t *accepts) {
  for (uint32_t i = 0; i < kept->instance.program.result_count; i++) {
    if (!accept_equal(&kept->accepts[i], &accepts[i])) return false;
  }
  return true;
}

/* ---- Results --------------------------------------------------------------------------------- */

typedef struct decide_context {
  const oracle_t *oracle;
  decision_memo_t memo;
  arena_t *arena;
} decide_context_t;

static status_t decide(void *context, const oracle_call_t *call, uint32_t result, size_t component,
                       answer_t *out_answer) {
  decide_context_t *asked = (decide_context_t *)context;
  oracle_call_t remembering = *call;
  remembering.memo = &asked->memo;
  remembering.arena = asked->arena;
  arena_mark_t mark = arena_mark(asked->arena);
  status_t status = asked->oracle->decide(&remembering, result, component, out_answer);
  arena_rewind(asked->arena, mark);
  return status;
}

/* Whether the rows of some results of the case conform as wholes: harness/run/judge_rows.c. */
static status_t do_rows_agree(const kept_t *kept, const tensor_t *results,
                              const contract_t *contract, arena_t *arena, bool *out_agree,
                              failure_t *error) {
  *out_agree = true;
  if (!kept_asks_about_rows(kept, contract)) return STATUS_OK;
  const oracle_call_t call = {.instance = &kept->instance,
                              .contract = contract,
                              .results = results,
                              .arena = arena,
                              .error = error};
  row_answer_t answer = {.agrees = true};
  arena_mark_t mark = arena_mark(arena);
  status_t status = kept->oracle->explain_rows(&call, &answer);
  arena_rewind(arena, mark);
  *out_agree = answer.agrees;
  return has_no_answer(status) ? STATUS_OK : status;
}

bool kept_asks_about_rows(const kept_t *kept, const contract_t *contract) {
  return PERMITTED(contract, shared) == SHARED_ONCE && kept->oracle->explain_rows != NULL;
}

status_t kept_conforms(const kept_t *kept, const contract_t *contract, const accept_t *accepts,
                       arena_t *arena, bool *out_conforms, failure_t *error) {
  decide_context_t context = {.oracle = kept->oracle, .arena = arena};
  decision_memo_init(&context.memo);
  const judge_t judge = {.decide = decide,
                         .decide_context = &context,
                         .contract = *contract,
                         .decide_wrong_max = 1,
                         .skips_class = true};
  verdict_t verdict;
  status_t status = judge_results(&judge, &kept->instance, accepts, kept->results, &verdict, error);
  decision_memo_deinit(&context.memo);
  *out_conforms = status == STATUS_OK &&
                  (verdict.outcome == OUTCOME_conforms || verdict.outcome == OUTCOME_weak);
  if (!*out_conforms) return status;
  return do_rows_agree(kept, kept->results, contract, arena, out_conforms, error);
}

/* ---- Witnesses ------------------------------------------------------------------------------- */

/* A component of a case, and two contracts. */
typedef struct search {
  const kept_t *kept;
  const kept_rivals_t *rivals;
  tensor_t results[CASE_RESULTS_MAX]; /* Copies, of which components are changed. */
  uint32_t result;
  size_t component;
  arena_t *arena;
  unsigned decided, probed;
} search_t;

static const element_t *element_of(const search_t *search) {
  return search->results[search->result].type.element;
}

/* Whether the pattern would conform in the place of the component. */
static status_t accepts_pattern(const search_t *search, const contract_t *contract, uint64_t bits,
                                bool *out_conforms, failure_t *error) {
  uint8_t *data = search->results[search->result].data;
  uint64_t kept = element_load(element_of(search), data, search->component);
  element_store(element_of(search), data, search->component, bits);
  const oracle_call_t call = {.instance = &search->kept->instance,
                              .contract = contract,
                              .results = search->results,
                              .arena = search->arena,
                              .error = error};
  answer_t answer = {0};
  arena_mark_t mark = arena_mark(search->arena);
  status_t status = oracle_decide_with_memo(search->kept->oracle->decide, &call, search->result,
                                            search->component, &answer);
  arena_rewind(search->arena, mark);
  *out_conforms = status == STATUS_OK && answer.conforms;
  if (*out_conforms) {
    status =
        do_rows_agree(search->kept, search->results, contract, search->arena, out_conforms, error);
  }
  element_store(element_of(search), data, search->component, kept);
  return has_no_answer(status) ? STATUS_OK : status;
}

/* Patterns of the looser fast set: its ends, and special values.  Returns their count. */
static size_t list_ends(const accept_t *accept, const search_t *search, uint64_t out_bits[8]) {
  const element_t *element = element_of(search);
  const format_t *format = element->format;
  size_t count = 0, component = search->component;
  if (accept->bits != NULL) out_bits[count++] = accept->bits[component];
  if (format == NULL && accept->low != NULL) {
    const double integers[] = {accept->low[component], accept->high[component]};
    for (size_t i = 0; i < G_N_ELEMENTS(integers); i++) {
      out_bits[count++] = (uint64_t)(int64_t)integers[i] & element_mask(element);
    }
  }
  if (format == NULL) return count;
  const double *const ends[] = {accept->low, accept->high, accept->other_low, accept->other_high};
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
    if (ends[i] == NULL || !isfinite(ends[i][component])) continue;
    out_bits[count++] = format_from_double(format, ends[i][component]);
  }
  if (accept->specials == NULL) return count;
  const double specials[] = {(double)NAN, INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
    if ((accept->specials[component] >> i & 1) == 0) continue;
    out_bits[count++] = format_from_double(format, specials[i]);
  }
  return count;
}

static bool is_unknown(const accept_t *accept, size_t component) {
  return accept->decide != NULL && accept->decide[component] != 0;
}

/* What a fast set holds conforms, as far as rows are not asked about. */
static status_t try_ends(search_t *search, bool *out_tells, failure_t *error) {
  const accept_t *loose = &search->kept->accepts[search->result];
  const accept_t *tight = &search->rivals->accepts[search->result];
  const element_t *element = element_of(search);
  bool loose_asks = kept_asks_about_rows(search->kept, search->rivals->loose);
  bool tight_asks = kept_asks_about_rows(search->kept, search->rivals->tight);
  uint64_t ends[8];
  size_t component = search->component, count = list_ends(loose, search, ends);
  for (size_t i = 0; i < count && !*out_tells && search->decided < ENDS_DECIDED; i++) {
    if (!accept_holds(loose, element, component, ends[i])) continue;
    bool is_held =
        !is_unknown(tight, component) && accept_holds(tight, element, component, ends[i]);
    if (is_held && (loose_asks || !tight_asks)) continue;
    search->decided++;
    bool is_tight, is_loose = true;
    if (loose_asks) {
      STATUS_TRY(accepts_pattern(search, search->rivals->loose, ends[i], &is_loose, error));
    }
    if (!is_loose) continue;
    STATUS_TRY(accepts_pattern(search, search->rivals->tight, ends[i], &is_tight, error));
    *out_tells = !is_tight;
  }
  return STATUS_OK;
}

/* The pattern `steps` above or below, in the order of the numbers. */
static uint64_t step(const element_t *element, uint64_t bits, int64_t steps) {
  uint64_t mask = element_mask(element), sign = (mask >> 1) + 1;
  if (element->format == NULL) return (bits + (uint64_t)steps) & mask;
  int64_t place = (int64_t)(bits & (mask >> 1));
  if ((bits & sign) != 0) place = -place;
  place = CLAMP(place + steps, -(int64_t)(mask >> 1), (int64_t)(mask >> 1));
  return place < 0 ? (uint64_t)-place | sign : (uint64_t)place;
}

/* Farther and farther from the result that came, as long as the looser contract accepts that. */
static status_t probe(search_t *search, bool *out_tells, failure_t *error) {
  const element_t *element = element_of(search);
  uint64_t got = element_load(element, search->results[search->result].data, search->component);
  if (element->format != NULL && format_is_nan(element->format, got)) return STATUS_OK;
  search->probed++;
  for (int direction = -1; direction <= 1 && !*out_tells; direction += 2) {
    bool is_loose = true;
    for (int i = 0; i < PROBE_STEPS && is_loose && !*out_tells; i++) {
      uint64_t bits = step(element, got, direction * (INT64_C(1) << i));
      STATUS_TRY(accepts_pattern(search, search->rivals->loose, bits, &is_loose, error));
      bool is_tight = true;
      if (is_loose) {
        STATUS_TRY(accepts_pattern(search, search->rivals->tight, bits, &is_tight, error));
      }
      *out_tells = !is_tight;
    }
  }
  return STATUS_OK;
}

static status_t search_result(search_t *search, bool *out_tells, failure_t *error) {
  const accept_t *loose = &search->kept->accepts[search->result];
  size_t stride = MAX(loose->count / COMPONENTS_LOOKED_AT, 1);
  for (size_t i = 0; i < loose->count && !*out_tells; i += stride) {
    search->component = i;
    if (!is_unknown(loose, i)) {
      STATUS_TRY(try_ends(search, out_tells, error));
    } else if (search->probed < COMPONENTS_PROBED) {
      STATUS_TRY(probe(search, out_tells, error));
    }
  }
  return STATUS_OK;
}

status_t kept_tells(const kept_t *kept, const kept_rivals_t *rivals, arena_t *arena,
                    bool *out_tells, failure_t *error) {
  search_t search = {.kept = kept, .rivals = rivals, .arena = arena};
  uint32_t count = kept->instance.program.result_count;
  for (uint32_t i = 0; i < count; i++) {
    search.results[i] = tensor_make(arena, &kept->results[i].type);
    memcpy(search.results[i].data, kept->results[i].data, type_bytes(&kept->results[i].type));
  }
  *out_tells = false;
  for (search.result = 0; search.result < count && !*out_tells; search.result++) {
    STATUS_TRY(search_result(&search, out_tells, error));
  }
  return STATUS_OK;
}
