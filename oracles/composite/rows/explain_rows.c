/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the elements of each row can come from the same shared numbers: by one of the permitted
 * variants, which are asked one after the other with the same witnesses. */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "oracles/composite/rows/fast_row.h"
#include "oracles/composite/rows/modelled_row.h"
#include "oracles/composite/rows/row_search.h"

/* The careful search takes microseconds for each element that it evaluates, and of short rows
 * evaluates each many times.  Of a case of a type that the fast evaluator does not know, as f64, so
 * many rows are asked, spread over all; then the others, as long as it has not evaluated so many
 * elements for each element of the case, which the accept sets take about as long for.  Of other
 * types all are asked, until so many were not explained fast, and not refuted either: then the
 * numbers of the case are such that little can be told of the rest. */
enum { ROWS_WITHOUT_FAST = 4, EVALUATIONS_PER_ELEMENT = 24, CAREFUL_ROWS_MAX = 8 };

/* One row and how far its variants have been asked. */
typedef struct row_question {
  const problem_t *problem; /* With an arena for scratch. */
  const tensor_t *results;
  part_t row;
  arena_t *arena;   /* For what is kept while this row is asked about. */
  bool is_brief;    /* Nobody reads which witnesses contradict one another. */
  bool is_searched; /* The careful search was asked, */
  size_t evaluated; /* and evaluated so many elements. */
  size_t variant_count;
  variant_t variants[VARIANTS_MAX];
  shared_row_t *rows[VARIANTS_MAX]; /* NULL: not asked about yet. */
} row_question_t;

static shared_row_t *row_of(row_question_t *question, size_t variant) {
  if (question->rows[variant] == NULL) {
    shared_row_t *row = ARENA_NEW_ARRAY(question->arena, shared_row_t, 1);
    *row = shared_row_make(question->problem, &question->variants[variant], &question->row,
                           question->results, question->arena);
    question->rows[variant] = row;
  }
  return question->rows[variant];
}

/* The elements with the least and the largest number of the first result.  Returns false if one is
 * not finite: then nothing is asked. */
static bool choose_witnesses(const row_question_t *question, row_witnesses_t *out_witnesses) {
  const tensor_t *result = &question->results[0];
  double least = INFINITY, largest = -INFINITY;
  *out_witnesses = (row_witnesses_t){.count = 2};
  for (size_t i = 0; i < question->row.count; i++) {
    size_t index = part_result_element(question->problem, &question->row, 0, i);
    double value = format_to_double(result->type.element->format,
                                    element_load(result->type.element, result->data, index));
    if (!isfinite(value)) return false;
    if (value < least) least = value, out_witnesses->terms[0] = i;
    if (value > largest) largest = value, out_witnesses->terms[1] = i;
  }
  if (out_witnesses->terms[0] == out_witnesses->terms[1]) out_witnesses->count = 1;
  return true;
}

/* Whether no variant explains these witnesses alone. */
static bool contradict(row_question_t *question, const row_witnesses_t *witnesses) {
  for (size_t v = 0; v < question->variant_count; v++) {
    if (row_search_witnesses(row_of(question, v), witnesses) != ROW_CONTRADICTS) return false;
  }
  return true;
}

/* Leaves out witnesses that a contradiction does not need. */
static void reduce(row_question_t *question, row_witnesses_t *inout_witnesses) {
  for (size_t i = inout_witnesses->count; i-- > 0 && inout_witnesses->count > 1;) {
    row_witnesses_t fewer = *inout_witnesses;
    fewer.count--;
    memmove(&fewer.terms[i], &fewer.terms[i + 1], (fewer.count - i) * sizeof(size_t));
    if (contradict(question, &fewer)) *inout_witnesses = fewer;
  }
}

/* What was returned for the row, of each result.  Returns whether the first has finite numbers. */
static bool load_values(const row_question_t *question, double *out_values[CASE_RESULTS_MAX]) {
  const problem_t *problem = question->problem;
  bool are_finite = true;
  for (uint32_t r = 0; r < problem->instance->program.result_count; r++) {
    const tensor_t *result = &question->results[r];
    size_t count = part_result_count(problem, &question->row, r);
    out_values[r] = ARENA_NEW_ARRAY(question->arena, double, count);
    for (size_t i = 0; i < count; i++) {
      size_t index = part_result_element(problem, &question->row, r, i);
      uint64_t bits = element_load(result->type.element, result->data, index);
      out_values[r][i] = format_to_double(result->type.element->format, bits);
      are_finite = are_finite && (r > 0 || isfinite(out_values[r][i]));
    }
  }
  return are_finite;
}

/* Nothing is asked about rows that are not finite: choose_witnesses().  Where the fast evaluator
 * does not know the type, models propose numbers. */
static bool is_explained_fast_by_any(row_question_t *question) {
  double *values[CASE_RESULTS_MAX];
  if (!load_values(question, values)) return true;
  for (size_t v = 0; v < question->variant_count; v++) {
    const variant_t *variant = &question->variants[v];
    const double *const *returned = (const double *const *)values;
    bool is_explained = false;
    if (problem_has_fast_shared(variant)) {
      is_explained = fast_row_is_explained(question->problem, variant, &question->row, returned);
    } else if (problem_has_models(variant)) {
      is_explained = modelled_row_is_explained(row_of(question, v), returned);
    }
    if (is_explained) return true;
  }
  return false;
}

/* Whether no variant explains the row; if so, some elements that show it. */
static bool is_contradictory(row_question_t *question, row_witnesses_t *out_witnesses) {
  if (is_explained_fast_by_any(question)) return false;
  if (!choose_witnesses(question, out_witnesses)) return false;
  question->is_searched = true;
  for (size_t v = 0; v < question->variant_count; v++) {
    if (row_search_all(row_of(question, v), out_witnesses) != ROW_CONTRADICTS) return false;
  }
  if (!question->is_brief) reduce(question, out_witnesses);
  return true;
}

static void describe(const row_question_t *question, const row_witnesses_t *witnesses,
                     row_answer_t *out_answer) {
  _Static_assert((int)ROW_ELEMENTS_MAX <= (int)ROW_ANSWER_ELEMENTS_MAX, "all witnesses are named");
  out_answer->result = 0;
  out_answer->element_count = witnesses->count;
  for (size_t i = 0; i < witnesses->count; i++) {
    out_answer->elements[i] =
        part_result_element(question->problem, &question->row, 0, witnesses->terms[i]);
  }
  out_answer->component = out_answer->elements[0];
  row_answer_describe(out_answer);
}

/* The rows of a case, and what asking about them has taken so far. */
typedef struct rows_question {
  problem_t problem;
  const tensor_t *results;
  const oracle_call_t *call;
  size_t asked;
  size_t searched;  /* Of them, those that took the careful search, */
  size_t evaluated; /* which evaluated so many elements. */
  row_answer_t *answer;
} rows_question_t;

static void ask_row(rows_question_t *rows, size_t group) {
  arena_t arena;
  arena_init(&arena);
  row_question_t question = {.problem = &rows->problem,
                             .results = rows->results,
                             .row = problem_part(&rows->problem, group),
                             .is_brief = rows->call->is_brief,
                             .arena = &arena};
  question.variant_count = problem_variants(&rows->problem, question.variants);
  row_witnesses_t witnesses;
  if (is_contradictory(&question, &witnesses)) {
    rows->answer->agrees = false;
    describe(&question, &witnesses, rows->answer);
  }
  rows->asked++;
  rows->searched += question.is_searched ? 1 : 0;
  for (size_t v = 0; v < question.variant_count; v++) {
    if (question.rows[v] != NULL) rows->evaluated += question.rows[v]->evaluated;
  }
  arena_deinit(&arena);
}

static bool has_fast_variant(const problem_t *problem) {
  variant_t variants[VARIANTS_MAX];
  size_t count = problem_variants(problem, variants);
  for (size_t v = 0; v < count; v++) {
    if (problem_has_fast_shared(&variants[v])) return true;
  }
  return false;
}

/* A part of a case has its share of what the whole may take. */
static size_t share_of(const rows_question_t *rows, size_t most) {
  if (rows->call->whole_count == 0) return most;
  double components = (double)type_component_count(&rows->call->instance->program.results[0]);
  return MAX((size_t)((double)most * components / (double)rows->call->whole_count), 1);
}

/* Some that are spread over all, then the others. */
static void ask_careful_rows(rows_question_t *rows) {
  const composite_layout_t *layout = &rows->problem.layout;
  size_t groups = layout->group_count;
  size_t most = groups * layout->term_count * EVALUATIONS_PER_ELEMENT;
  size_t spread = share_of(rows, ROWS_WITHOUT_FAST);
  size_t step = (groups + spread - 1) / spread;
  for (size_t g = 0; g < groups && rows->answer->agrees; g += step) ask_row(rows, g);
  for (size_t g = 0; g < groups && rows->answer->agrees && rows->evaluated < most; g++) {
    if (g % step != 0) ask_row(rows, g);
  }
}

status_t composite_explain_rows(const oracle_call_t *call, row_answer_t *out_answer) {
  *out_answer = (row_answer_t){.agrees = true};
  rows_question_t rows = {.problem = problem_make(call->instance, call->contract, call->arena),
                          .results = call->results,
                          .call = call,
                          .answer = out_answer};
  const composite_layout_t *layout = &rows.problem.layout;
  if (layout->is_elementwise || layout->term_count < 2) return STATUS_OK;
  size_t groups = layout->group_count;
  if (!has_fast_variant(&rows.problem)) {
    ask_careful_rows(&rows);
  } else {
    for (size_t g = 0; g < groups && out_answer->agrees; g++) {
      if (rows.searched == share_of(&rows, CAREFUL_ROWS_MAX)) break;
      ask_row(&rows, g);
    }
  }
  out_answer->rows_left = out_answer->agrees ? groups - rows.asked : 0;
  return STATUS_OK;
}
