/* SPDX-License-Identifier: Apache-2.0 */
/* The confusion matrix of formulas: each formula of each op is run, with random schedules, and told
 * from its bits.  Some formula always explains them, and never one that is looser than the one that
 * ran.  A formula is told by its own name within CASES_MAX cases, or it is listed in
 * F_indistinguishable_formulas.def with the reason why nobody can tell. */
#include "oracles/oracle.h"
#include "tests/gen/valid_case.h"

enum { CASES_MIN = 400, CASES_MAX = 4000, ELEMENTS_MAX = 96, FORMULAS_MAX = 8 };

typedef struct indistinguishable {
  const char *op;
  const char *formula;
} indistinguishable_t;

/* INDISTINGUISHABLE(op, formula, why the tighter ones explain all that its models give): under the
 * default contract. */
static const indistinguishable_t indistinguishable[] = {
#define INDISTINGUISHABLE(op, formula, reason) {op, formula},
#include "generated/all_indistinguishable_formulas.def"
#undef INDISTINGUISHABLE
};

static bool is_indistinguishable(const char *op, const char *formula) {
  for (size_t i = 0; i < G_N_ELEMENTS(indistinguishable); i++) {
    bool is_op = strcmp(indistinguishable[i].op, op) == 0;
    if (is_op && strcmp(indistinguishable[i].formula, formula) == 0) return true;
  }
  return false;
}

static implementation_model_t draw_schedule(rng_t *rng, const char *formula) {
  static const sum_order_kind_t trees[] = {SUM_SEQUENTIAL, SUM_REVERSE,  SUM_HALVES,
                                           SUM_LANES,      SUM_SHUFFLED, SUM_RANDOM};
  implementation_model_t schedule = schedule_plain();
  schedule.formula = formula;
  schedule.order.kind = trees[rng_below(rng, G_N_ELEMENTS(trees))];
  schedule.order.width = 4;
  schedule.seed = rng_bits(rng);
  schedule.fused = rng_one_in(rng, 3);
  return schedule;
}

static bool is_judged(const oracle_t *oracle, const case_t *instance, const contract_t *contract,
                      arena_t *arena) {
  accept_t accepts[CASE_RESULTS_MAX];
  failure_t error = {.text = ""};
  const oracle_call_t call = {
      .instance = instance, .contract = contract, .arena = arena, .error = &error};
  return oracle->accept(&call, accepts) == STATUS_OK;
}

/* The formula that the results of a case are explained by; `count` if the op's oracle says nothing
 * of the case. */
static uint8_t tell(const oracle_t *oracle, const case_t *instance,
                    const implementation_model_t *schedule, uint8_t count, arena_t *arena) {
  const contract_t contract = contract_backend();
  if (!is_judged(oracle, instance, &contract, arena)) return count;
  const program_t *program = &instance->program;
  tensor_t results[CASE_RESULTS_MAX];
  for (uint32_t r = 0; r < program->result_count; r++) {
    results[r] = tensor_make(arena, &program->results[r]);
  }
  failure_t error = {.text = ""};
  const oracle_call_t call = {.instance = instance, .arena = arena, .error = &error};
  status_t status = oracle->simulate(&call, schedule, results);
  if (status == STATUS_UNSUPPORTED) return count;
  g_assert_cmpint(status, ==, STATUS_OK);
  uint8_t found_formula = 0;
  bool found = false;
  const oracle_call_t formula_call = {.instance = instance,
                                      .contract = &contract,
                                      .results = results,
                                      .arena = arena,
                                      .error = &error};
  status = oracle->find_formula(&formula_call, NULL, &found_formula, &found);
  if (status == STATUS_UNSUPPORTED) return count;
  g_assert_cmpint(status, ==, STATUS_OK);
  if (found) return found_formula;
  g_autoptr(GString) line = g_string_new(NULL);
  case_print(instance, line);
  g_error("%s by %s: no formula explains it: %s", program->op->name, schedule->formula, line->str);
}

static void check_formula(const op_t *op, uint8_t ran, uint8_t count) {
  const char *name = contract_spelling(op->formulas, ran);
  size_t as[FORMULAS_MAX + 1] = {0};
  rng_t rng = rng_make(ran);
  arena_t arena;
  arena_init(&arena);
  size_t cases = 0;
  for (; cases < CASES_MIN || (cases < CASES_MAX && as[ran] == 0); cases++) {
    case_t instance = draw_valid_case(&rng, op, ELEMENTS_MAX, &arena);
    implementation_model_t schedule = draw_schedule(&rng, name);
    uint8_t found_formula = tell(oracle_find(op), &instance, &schedule, count, &arena);
    as[found_formula]++;
    if (found_formula < count && found_formula > ran) {
      g_autoptr(GString) line = g_string_new(NULL);
      case_print(&instance, line);
      g_error("%s by %s: told as %s: %s", op->name, name,
              contract_spelling(op->formulas, found_formula), line->str);
    }
    arena_reset(&arena);
  }
  g_autoptr(GString) row = g_string_new(NULL);
  for (uint8_t found_formula = 0; found_formula < count; found_formula++) {
    g_string_append_printf(row, " %s %zu", contract_spelling(op->formulas, found_formula),
                           as[found_formula]);
  }
  g_test_message("%s by %s is told as:%s", op->name, name, row->str);
  g_assert_cmpuint(as[count], <, cases);
  if (is_indistinguishable(op->name, name)) {
    g_assert_cmpuint(as[ran], ==, 0);
  } else {
    g_assert_cmpuint(as[ran], >, 0);
  }
  arena_deinit(&arena);
}

static void test_op(gconstpointer data) {
  const op_t *op = data;
  uint8_t count = contract_value_count(op->formulas);
  g_assert_cmpuint(count, <=, FORMULAS_MAX);
  for (uint8_t formula = 0; formula < count; formula++) check_formula(op, formula, count);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_set_nonfatal_assertions();
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    if ((*op)->formulas == NULL) continue;
    g_autofree char *path = g_strdup_printf("/formulas/%s", (*op)->name);
    g_test_add_data_func(path, *op, test_op);
  }
  return g_test_run();
}
