/* SPDX-License-Identifier: Apache-2.0 */
/* Scores a hypothesis against all examined components, and tests the hypotheses about single terms
 * (left out, taken twice, a neighbour taken). Trying many indices costs evidence. Hypotheses about
 * operands and values are tested elsewhere. */
#include "harness/diagnose/tests.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "harness/model/op.h"

enum { TERMS_TRIED_MAX = 96, TERMS_NAMED_MAX = 4, TERM_ALIKE_MAX = 64 };

void note_cause(found_causes_t *found, cause_id_t cause, double bits, size_t tried,
                const char *detail) {
  found_cause_t *item = &found->items[cause];
  bits -= tried > 1 ? log2((double)tried) : 0;
  if (!item->is_found) {
    *item = (found_cause_t){.is_found = true, .bits = bits};
    g_strlcpy(item->detail, detail, sizeof item->detail);
    return;
  }
  item->bits = fmax(item->bits, bits);
  g_strlcat(item->detail, " or ", sizeof item->detail);
  g_strlcat(item->detail, detail, sizeof item->detail);
}

/* Of how many operand elements a component is made, if it is one of them; else 0.  A maximum that
 * drops a NaN takes the other operand, and who reads a smaller neighbour takes it too. */
static size_t count_choices(const examined_t *examined) {
  const case_t *instance = &examined->problem.instance;
  size_t count = 0;
  bool is_among = false;
  for (uint32_t operand = 0; operand < instance->program.operand_count; operand++) {
    const tensor_t *tensor = &instance->operands[operand];
    if (tensor->type.element != examined->element) continue;
    for (size_t i = 0; i < type_component_count(&tensor->type); i++) {
      is_among |= element_load(examined->element, tensor->data, i) == examined->got;
      count++;
    }
  }
  return is_among ? count : 0;
}

/* Of one wrong component: the evidence, or -1 if it is not explained. */
static double explain_wrong(solver_t *solver, const examined_t *examined,
                            const hypothesis_t *hypothesis) {
  problem_t changed;
  if (!hypothesis->change(solver, examined, hypothesis, &changed)) return -1;
  answer_t answer;
  if (!problem_holds(solver, &changed, examined->got, &answer)) return -1;
  double bits = solver_has_seen(solver, examined) ? 0 : evidence_bits(examined, &answer);
  size_t choices = count_choices(examined);
  if (hypothesis->needs_new && choices > 0) return 0;
  if (hypothesis->is_choice && choices > 0) bits = fmin(bits, log2((double)choices));
  if (bits <= 0 || !examined->has_right) return bits;
  return problem_holds(solver, &changed, examined->right, &answer) ? 0 : bits;
}

static bool spares(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis) {
  problem_t changed;
  if (!hypothesis->change(solver, examined, hypothesis, &changed)) return false;
  answer_t answer;
  problem_holds(solver, &changed, examined->got, &answer);
  return answer.conforms;
}

double test_hypothesis(solver_t *solver, const hypothesis_t *hypothesis) {
  arena_mark_t mark = arena_mark(solver->arena);
  double bits = 0;
  for (size_t i = 0; i < solver->wrong_count && bits >= 0; i++) {
    double more = explain_wrong(solver, &solver->wrong[i], hypothesis);
    bits = more < 0 ? -1 : bits + more;
    arena_rewind(solver->arena, mark);
  }
  for (size_t i = 0; i < solver->right_count && bits > 0; i++) {
    if (!spares(solver, &solver->right[i], hypothesis)) bits = -1;
    arena_rewind(solver->arena, mark);
  }
  return bits > 0 ? bits : -1; /* What tells nothing explains nothing. */
}

/* ---- Which terms take part ------------------------------------------------------------------- */

static size_t *all_terms(const solver_t *solver, size_t *out_count) {
  size_t *terms = ARENA_NEW_ARRAY(solver->arena, size_t, solver->term_count + 1);
  for (size_t i = 0; i < solver->term_count; i++) terms[i] = i;
  *out_count = solver->term_count;
  return terms;
}

static bool leave_out(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                      problem_t *out) {
  size_t count;
  size_t *terms = all_terms(solver, &count);
  count--;
  for (size_t i = hypothesis->index; i < count; i++) terms[i] = i + 1;
  return problem_select(solver, &examined->problem, terms, count, out);
}

static bool take_twice(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                       problem_t *out) {
  size_t count;
  size_t *terms = all_terms(solver, &count);
  for (size_t i = count; i > hypothesis->index; i--) terms[i] = i - 1;
  return problem_select(solver, &examined->problem, terms, count + 1, out);
}

/* The next term, or for the last one the one before. */
static bool take_neighbour(solver_t *solver, const examined_t *examined,
                           const hypothesis_t *hypothesis, problem_t *out) {
  size_t count;
  size_t *terms = all_terms(solver, &count);
  if (count < 2) return false;
  size_t index = hypothesis->index;
  terms[index] = index + 1 < count ? index + 1 : index - 1;
  return problem_select(solver, &examined->problem, terms, count, out);
}

static bool leave_out_tail(solver_t *solver, const examined_t *examined,
                           const hypothesis_t *hypothesis, problem_t *out) {
  size_t count;
  size_t *terms = all_terms(solver, &count);
  return problem_select(solver, &examined->problem, terms, count - count % hypothesis->index, out);
}

/* The last (index 2 n) or the first (2 n + 1) block of n terms; of the last one what a whole number
 * of blocks leaves, if it leaves something. */
static bool take_block(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                       problem_t *out) {
  size_t count;
  size_t *terms = all_terms(solver, &count);
  size_t size = hypothesis->index / 2;
  bool is_first = hypothesis->index % 2 == 1;
  if (count <= size) return false;
  size_t left = count % size == 0 ? size : count % size;
  if (is_first && count < 2 * size) return false; /* That leaves out the tail. */
  if (is_first) return problem_select(solver, &examined->problem, terms, size, out);
  return problem_select(solver, &examined->problem, terms + count - left, left, out);
}

/* What a term of a problem has among its operands. */
typedef struct term_values {
  unsigned operands;
  bool has_nan;
  bool has_infinity;
  bool has_zero;
} term_values_t;

static term_values_t look_at_term(const solver_t *solver, const problem_t *problem, size_t term) {
  term_values_t seen = {.operands = 0};
  for (uint32_t i = 0; i < problem->instance.program.operand_count; i++) {
    const tensor_t *tensor = &problem->instance.operands[i];
    const element_t *element = tensor->type.element;
    if ((solver->operands_with_terms >> i & 1) == 0) continue;
    seen.operands++;
    bool is_zero = element->format != NULL;
    for (size_t part = 0; part < element->components && element->format != NULL; part++) {
      uint64_t bits = element_load(element, tensor->data, term * element->components + part);
      seen.has_nan |= format_is_nan(element->format, bits);
      seen.has_infinity |= format_is_infinity(element->format, bits);
      is_zero &= format_is_zero(element->format, bits);
    }
    seen.has_zero |= is_zero;
  }
  return seen;
}

/* Without terms that are NaN (index 0), that have a zero factor (1), or that come before the last
 * NaN or are it (2): so a comparison that takes its second operand when one is NaN. */
static bool skip_terms(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                       problem_t *out) {
  size_t all;
  size_t *terms = all_terms(solver, &all);
  size_t count = 0;
  for (size_t term = 0; term < all; term++) {
    term_values_t seen = look_at_term(solver, &examined->problem, term);
    bool is_product = seen.operands == 2;
    bool is_nan = seen.has_nan || (is_product && seen.has_infinity && seen.has_zero);
    if (hypothesis->index == 2 && is_nan) count = 0;
    bool is_void = is_product && seen.has_zero && (seen.has_nan || seen.has_infinity);
    bool is_skipped = hypothesis->index == 1 ? is_void : is_nan;
    if (!is_skipped) terms[count++] = term;
  }
  return problem_select(solver, &examined->problem, terms, count, out);
}

/* One way to change a single term, of which the first and the last have names of their own. */
typedef struct term_family {
  bool (*change)(solver_t *solver, const examined_t *examined, const hypothesis_t *hypothesis,
                 problem_t *out);
  cause_id_t first;
  cause_id_t last;
  cause_id_t other;
} term_family_t;

static void name_terms(const size_t *terms, size_t count, size_t all, char *out) {
  GString *text = g_string_new(NULL);
  if (count <= TERMS_NAMED_MAX) {
    g_string_append(text, "term ");
    for (size_t i = 0; i < count; i++) {
      g_string_append_printf(text, "%s%zu", i == 0 ? "" : " or ", terms[i]);
    }
    g_string_append_printf(text, " (of %zu)", all);
  } else {
    g_string_printf(text, "one of %zu terms (of %zu)", count, all);
  }
  g_strlcpy(out, text->str, CAUSE_DETAIL_BYTES);
  g_string_free(text, TRUE);
}

static void test_single_terms(solver_t *solver, const term_family_t *family,
                              found_causes_t *found) {
  size_t count = solver->term_count;
  size_t half = MIN((size_t)TERMS_TRIED_MAX / 2, count);
  size_t others[TERM_ALIKE_MAX];
  size_t other_count = 0;
  double bits_of_others = 0;
  for (size_t i = 0; i < count; i++) {
    if (i >= half && i + half < count) continue;
    cause_id_t cause = i + 1 == count ? family->last : family->other;
    bool is_due = solver_tests(solver, cause) || (i == 0 && solver_tests(solver, family->first));
    if (!is_due) continue;
    hypothesis_t hypothesis = {.change = family->change, .index = i};
    double bits = test_hypothesis(solver, &hypothesis);
    if (bits < 0) continue;
    char detail[CAUSE_DETAIL_BYTES];
    g_snprintf(detail, sizeof detail, "%zu (of %zu)", i, count);
    if (i + 1 == count && solver_tests(solver, family->last)) {
      note_cause(found, family->last, bits, 1, detail);
    }
    if (i == 0 && solver_tests(solver, family->first)) {
      note_cause(found, family->first, bits, 1, detail);
    }
    if (i == 0 || i + 1 == count || other_count == TERM_ALIKE_MAX) continue;
    others[other_count++] = i;
    bits_of_others = fmax(bits_of_others, bits);
  }
  if (other_count == 0) return;
  char detail[CAUSE_DETAIL_BYTES];
  name_terms(others, other_count, count, detail);
  note_cause(found, family->other, bits_of_others, MIN(count, (size_t)TERMS_TRIED_MAX), detail);
}

static void test_skipped(solver_t *solver, cause_id_t cause, size_t which, found_causes_t *found) {
  if (!solver_tests(solver, cause)) return;
  const hypothesis_t hypothesis = {.change = skip_terms, .index = which};
  double bits = test_hypothesis(solver, &hypothesis);
  if (bits >= 0) note_cause(found, cause, bits, 1, "");
}

static void test_blocks(solver_t *solver, found_causes_t *found) {
  static const struct {
    cause_id_t one;
    cause_id_t block;
  } causes[] = {{CAUSE_only_last_term, CAUSE_only_last_block},
                {CAUSE_only_first_term, CAUSE_only_first_block}};
  static const size_t sizes[] = {1, 4, 8, 16, 32, 64, 128};
  for (size_t end = 0; end < G_N_ELEMENTS(causes); end++) {
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
      cause_id_t cause = sizes[i] == 1 ? causes[end].one : causes[end].block;
      if (!solver_tests(solver, cause)) continue;
      const hypothesis_t hypothesis = {.change = take_block, .index = 2 * sizes[i] + end};
      double bits = test_hypothesis(solver, &hypothesis);
      char detail[CAUSE_DETAIL_BYTES];
      size_t term = end == 0 ? solver->term_count - 1 : 0;
      if (sizes[i] == 1) {
        g_snprintf(detail, sizeof detail, "%zu (of %zu)", term, solver->term_count);
      } else {
        g_snprintf(detail, sizeof detail, "%zu", sizes[i]);
      }
      if (bits >= 0) note_cause(found, cause, bits, sizes[i] == 1 ? 1 : 6, detail);
    }
  }
}

/* An operand that is NaN is taken for the other one. */
static bool take_other_for_nan(solver_t *solver, const examined_t *examined,
                               const hypothesis_t *hypothesis, problem_t *out) {
  (void)hypothesis;
  *out = examined->problem;
  out->instance = case_copy(solver->arena, &examined->problem.instance);
  const tensor_t *operands = out->instance.operands;
  const element_t *element = operands[0].type.element;
  uint64_t bits[2];
  for (size_t i = 0; i < 2; i++) bits[i] = element_load(element, operands[i].data, 0);
  for (size_t i = 0; i < 2; i++) {
    if (format_is_nan(element->format, bits[i])) {
      element_store(element, operands[i].data, 0, bits[1 - i]);
    }
  }
  return true;
}

static void test_nan_operand(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  bool is_pair = solver_selects(solver) && program->operand_count == 2 &&
                 program->operands[0].element == program->operands[1].element &&
                 program->operands[0].element->kind == ELEMENT_FLOAT;
  if (!is_pair || !solver_tests(solver, CAUSE_nan_skipped)) return;
  double bits = test_hypothesis(solver, &(hypothesis_t){.change = take_other_for_nan});
  if (bits >= 0) note_cause(found, CAUSE_nan_skipped, bits, 1, "");
}

/* Nothing but the neutral value: zero factors, or a term that is the body's neutral value.  With
 * index 1 only in place of NaN. */
static uint64_t neutral_term_bits(const void *context, const program_t *program, uint32_t operand,
                                  size_t component, uint64_t bits) {
  (void)component;
  const hypothesis_t *hypothesis = (const hypothesis_t *)context;
  const format_t *format = program->operands[operand].element->format;
  bool is_nan = format != NULL && format_is_nan(format, bits);
  if (hypothesis->index == 1 && !is_nan) return bits;
  const op_t *op = program->op;
  if (op->is_init_operand == NULL) return 0;
  if (op->is_init_operand(program, operand)) return bits;
  uint32_t init = operand + program->operand_count / 2;
  bool has_init = init < program->operand_count && op->is_init_operand(program, init);
  return has_init && op->neutral_bits != NULL ? op->neutral_bits(program, init) : bits;
}

static bool make_neutral(solver_t *solver, const examined_t *examined,
                         const hypothesis_t *hypothesis, problem_t *out) {
  *out = problem_map(solver, &examined->problem, neutral_term_bits, hypothesis);
  return true;
}

/* A program without an axis of terms has one: the first and the last. */
static void test_only_term(solver_t *solver, found_causes_t *found) {
  static const cause_id_t causes[] = {CAUSE_without_last_term, CAUSE_without_first_term};
  const hypothesis_t hypothesis = {.change = make_neutral};
  double bits = test_hypothesis(solver, &hypothesis);
  for (size_t i = 0; i < G_N_ELEMENTS(causes) && bits >= 0; i++) {
    if (solver_tests(solver, causes[i])) note_cause(found, causes[i], bits, 1, "0 (of 1)");
  }
  const hypothesis_t skip = {.change = make_neutral, .index = 1};
  if (solver_selects(solver) || !solver_tests(solver, CAUSE_nan_skipped)) return;
  bits = test_hypothesis(solver, &skip);
  if (bits >= 0) note_cause(found, CAUSE_nan_skipped, bits, 1, "");
}

void test_terms(solver_t *solver, found_causes_t *found) {
  static const term_family_t families[] = {
      {leave_out, CAUSE_without_first_term, CAUSE_without_last_term, CAUSE_without_term},
      {take_twice, CAUSE_first_term_twice, CAUSE_last_term_twice, CAUSE_term_twice},
      {take_neighbour, CAUSE_neighbour_of_first, CAUSE_neighbour_of_last, CAUSE_neighbour_term}};
  static const size_t blocks[] = {4, 8, 16, 32, 64};
  if (!solver->is_split || solver->term_count == 0) return;
  if (solver->term_axis < 0) {
    test_only_term(solver, found);
    test_nan_operand(solver, found);
    return;
  }
  test_skipped(solver, CAUSE_nan_skipped, 0, found);
  test_skipped(solver, CAUSE_zero_operands_skipped, 1, found);
  test_skipped(solver, CAUSE_restarted_after_nan, 2, found);
  for (size_t i = 0; i < G_N_ELEMENTS(blocks) && solver_tests(solver, CAUSE_without_tail); i++) {
    if (solver->term_count <= blocks[i] || solver->term_count % blocks[i] == 0) continue;
    hypothesis_t tail = {.change = leave_out_tail, .index = blocks[i]};
    double bits = test_hypothesis(solver, &tail);
    char detail[CAUSE_DETAIL_BYTES];
    g_snprintf(detail, sizeof detail, "%zu", blocks[i]);
    if (bits >= 0) note_cause(found, CAUSE_without_tail, bits, 1, detail);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(families); i++) {
    test_single_terms(solver, &families[i], found);
  }
  /* One sum may be that of some of its terms: where most of them cancel it often is. */
  if (solver_has_several(solver)) test_blocks(solver, found);
}
