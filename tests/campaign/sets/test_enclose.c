/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes (oracle_t.enclose) against the sets that the exact oracle accepts: on drawn programs of
 * every op that encloses, under drawn contracts, whatever conforms lies within the box, for
 * operands at points and for operands drawn from wider boxes.  Planted faults are seen to let
 * results escape. */
#include "tests/campaign/sets/box_drawing.h"
#include "tests/campaign/sets/box_escapes.h"

enum {
  PLANT_ROUNDS = 2000, /* At the most: until something escapes. */
  SCHEDULES = 3,
  STEPS = 5, /* Each way from a result, each twice as long as the one before. */
};

/* What is done to the boxes, as a faulty enclose() would. */
typedef enum plant {
  PLANT_NONE,
  PLANT_INWARD,      /* Ends are rounded inwards. */
  PLANT_DROPPED,     /* An operand element is left out: it counts as zero. */
  PLANT_ZERO_POINTS, /* Zero points are forgotten. */
  PLANT_COUNT
} plant_t;

typedef struct campaign {
  box_drawing_t drawing;
  plant_t plant;
  uint64_t cases, unsupported, whole, asked, conforming, escapes;
} campaign_t;

/* ---- Drawing --------------------------------------------------------------------------------- */

static contract_t draw_contract(rng_t *rng) {
  contract_t contract = rng_one_in(rng, 3) ? contract_spec() : contract_backend();
  for (size_t i = 0; i < contract_permission_count(); i++) {
    const char *name = contract_permission_name(i);
    bool keeps = !rng_one_in(rng, 4) || strcmp(name, "bits") == 0 || strcmp(name, "byteir") == 0;
    if (keeps) continue;
    uint8_t value = (uint8_t)rng_below(rng, contract_value_count(name));
    contract_set_value(&contract, name, value);
  }
  return contract;
}

static implementation_model_t draw_schedule(rng_t *rng) {
  static const sum_order_kind_t kinds[] = {SUM_SEQUENTIAL, SUM_REVERSE, SUM_HALVES,  SUM_BLOCKS,
                                           SUM_LANES,      SUM_RANDOM,  SUM_SHUFFLED};
  implementation_model_t schedule = schedule_plain();
  schedule.order.kind = kinds[rng_below(rng, G_N_ELEMENTS(kinds))];
  schedule.order.width = 1 + (uint32_t)rng_below(rng, 4);
  schedule.seed = rng_bits(rng);
  schedule.fused = rng_one_in(rng, 3);
  schedule.init_count = (uint32_t)rng_below(rng, 3);
  schedule.native = rng_one_in(rng, 2);
  schedule.other_way = rng_one_in(rng, 2);
  return schedule;
}

/* ---- Plants ---------------------------------------------------------------------------------- */

/* As enclose() would see them. */
static void plant_in_operands(campaign_t *campaign, program_t *program, box_t *boxes[]) {
  rng_t *rng = &campaign->drawing.rng;
  uint32_t operand = (uint32_t)rng_below(rng, program->operand_count);
  size_t count = type_element_count(&program->operands[operand]);
  if (campaign->plant == PLANT_DROPPED && count > 0) {
    const type_t *type = &program->operands[operand];
    size_t element = rng_below(rng, count);
    int64_t zero = type->quantization == NULL ? 0 : quantization_zero_point(type, element);
    boxes[operand][element] = box_point((double)zero);
  }
  for (uint32_t i = 0; i < program->operand_count && campaign->plant == PLANT_ZERO_POINTS; i++) {
    if (program->operands[i].quantization == NULL) continue;
    quantization_t *spoilt = ARENA_NEW_ARRAY(&campaign->drawing.arena, quantization_t, 1);
    *spoilt = *program->operands[i].quantization;
    spoilt->zero_points =
        arena_alloc_zeroed(&campaign->drawing.arena, MAX(spoilt->count, 1) * sizeof(int64_t));
    program->operands[i].quantization = spoilt;
  }
}

static box_t plant_in_result(const campaign_t *campaign, const element_t *element, box_t box) {
  if (campaign->plant != PLANT_INWARD) return box;
  if (element->format == NULL) return (box_t){box.low + 1, box.high};
  return (box_t){box_above(box.low), box_below(box.high)};
}

/* ---- Checking -------------------------------------------------------------------------------- */

static void tell(const campaign_t *campaign, const question_t *question, uint32_t result,
                 size_t component, uint64_t bits, box_t box) {
  if (campaign->plant != PLANT_NONE) return;
  GString *line = g_string_new(NULL);
  case_print(question->instance, line);
  g_string_truncate(line, MIN(line->len, 1500));
  g_string_append(line, "\n");
  contract_print_short(question->contract, line);
  g_test_message("%s\nresult %u component %zu: 0x%" G_GINT64_MODIFIER "x conforms, not in %a .. %a",
                 line->str, result, component, bits, box.low, box.high);
  g_string_free(line, TRUE);
}

static void check_bits(campaign_t *campaign, const question_t *question, uint32_t result,
                       size_t component, tensor_t *results, uint64_t bits, box_t box,
                       bool *out_conforms) {
  const element_t *element = results[result].type.element;
  uint64_t before = element_load(element, results[result].data, component);
  element_store(element, results[result].data, component, bits);
  answer_t answer = question_decide(question, result, component, results);
  element_store(element, results[result].data, component, before);
  campaign->asked++;
  *out_conforms = answer.conforms;
  if (!answer.conforms) return;
  campaign->conforming++;
  bool is_held = is_nan(element, bits) ? box_is_whole_line(box)
                                       : point_of(element, bits).high >= box.low &&
                                             point_of(element, bits).low <= box.high;
  if (is_held) return;
  campaign->escapes++;
  if (campaign->escapes < 4) tell(campaign, question, result, component, bits, box);
}

/* What was returned, its neighbours nearer and farther, and what is seldom right. */
static void check_component(campaign_t *campaign, const question_t *question, uint32_t result,
                            size_t component, tensor_t *results, box_t box) {
  const element_t *element = results[result].type.element;
  uint64_t bits = element_load(element, results[result].data, component);
  bool conforms;
  check_bits(campaign, question, result, component, results, bits, box, &conforms);
  if (!is_nan(element, bits)) {
    for (int side = -1; side <= 1; side += 2) {
      int64_t step = 1, ordinal = ordinal_of(element, bits), at = 0;
      for (int i = 0; i < STEPS; i++) { /* Farther as long as it conforms, then nearer. */
        uint64_t moved = (uint64_t)ordinal + (uint64_t)(side * (at + step)); /* May wrap. */
        uint64_t stepped = bits_of(element, (int64_t)moved);
        check_bits(campaign, question, result, component, results, stepped, box, &conforms);
        if (conforms) at += step;
        step = conforms ? 2 * step : MAX(step / 2, 1);
      }
    }
  }
  const uint64_t others[] = {0, rng_bits(&campaign->drawing.rng) & element_mask(element),
                             element_mask(element) >> 1,
                             element->format == NULL ? 1 : element->format->largest_bits};
  uint64_t other = others[rng_below(&campaign->drawing.rng, G_N_ELEMENTS(others))];
  check_bits(campaign, question, result, component, results, other, box, &conforms);
}

static void check_results(campaign_t *campaign, const question_t *question, tensor_t *results,
                          box_t *const boxes[]) {
  const program_t *program = &question->instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    size_t count = type_element_count(&program->results[r]);
    for (int i = 0; i < COMPONENTS_ASKED && count > 0; i++) {
      size_t component = rng_below(&campaign->drawing.rng, count);
      box_t box = boxes[r][component];
      campaign->whole += box_is_whole_line(box);
      box = plant_in_result(campaign, program->results[r].element, box);
      check_component(campaign, question, r, component, results, box);
    }
  }
}

/* ---- The campaign ---------------------------------------------------------------------------- */

static bool simulate(campaign_t *campaign, const case_t *instance, tensor_t *out_results) {
  const program_t *program = &instance->program;
  implementation_model_t schedule = draw_schedule(&campaign->drawing.rng);
  for (uint32_t r = 0; r < program->result_count; r++) {
    out_results[r] = tensor_make(&campaign->drawing.arena, &program->results[r]);
    memset(out_results[r].data, 0, type_bytes(&program->results[r]));
  }
  failure_t error = {.text = ""};
  const oracle_call_t call = {
      .instance = instance, .arena = &campaign->drawing.arena, .error = &error};
  return campaign->drawing.oracle->simulate(&call, &schedule, out_results) == STATUS_OK;
}

static void run_round(campaign_t *campaign) {
  contract_t contract = draw_contract(&campaign->drawing.rng);
  case_t instance;
  if (!draw_case(&campaign->drawing, &contract, &instance) || is_complex(&instance.program)) return;
  box_t *operands[CASE_OPERANDS_MAX], *results[CASE_RESULTS_MAX];
  make_operands(&campaign->drawing, &instance, operands);
  question_t question;
  if (question_make(&instance, &contract, &campaign->drawing.arena, &question) != STATUS_OK) return;
  program_t seen = instance.program;
  plant_in_operands(campaign, &seen, operands);
  if (enclose(&campaign->drawing, &seen, &contract, operands, results) != STATUS_OK) {
    campaign->unsupported++;
    return;
  }
  campaign->cases++;
  tensor_t returned[CASE_RESULTS_MAX];
  for (int i = 0; i < SCHEDULES; i++) {
    if (simulate(campaign, &instance, returned)) {
      check_results(campaign, &question, returned, results);
    }
  }
}

static campaign_t run(const op_t *op, plant_t plant, bool wide, size_t rounds) {
  campaign_t campaign = {.drawing = {.op = op, .oracle = oracle_find(op), .wide = wide},
                         .plant = plant};
  campaign.drawing.rng = rng_make(g_str_hash(op->name) + (uint64_t)plant);
  arena_init(&campaign.drawing.arena);
  for (size_t i = 0; i < rounds && (plant == PLANT_NONE || campaign.escapes == 0); i++) {
    run_round(&campaign);
    arena_reset(&campaign.drawing.arena);
  }
  arena_deinit(&campaign.drawing.arena);
  return campaign;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void test_op(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  for (int wide = 0; wide < 2; wide++) {
    campaign_t campaign = run(op, PLANT_NONE, wide != 0, BOX_ROUNDS);
    g_test_message("%s%s: %" G_GUINT64_FORMAT " cases, %" G_GUINT64_FORMAT
                   " unsupported, %" G_GUINT64_FORMAT " asked, %" G_GUINT64_FORMAT
                   " conforming, %" G_GUINT64_FORMAT " of whole lines, %" G_GUINT64_FORMAT
                   " escapes",
                   op->name, wide != 0 ? ", wide" : "", campaign.cases, campaign.unsupported,
                   campaign.asked, campaign.conforming, campaign.whole, campaign.escapes);
    g_assert_cmpuint(campaign.escapes, ==, 0);
    g_assert_cmpuint(campaign.cases, >, BOX_ROUNDS / 8);
    g_assert_cmpuint(campaign.conforming, >, campaign.cases);
  }
}

/* Each planted fault lets something escape. */
static void test_plants(gconstpointer data) {
  const op_t *op = (const op_t *)data;
  const escapes_t *escapes = find_escapes(op);
  g_assert_cmpuint(run(op, PLANT_INWARD, false, PLANT_ROUNDS).escapes, >, 0);
  if (escapes->terms) g_assert_cmpuint(run(op, PLANT_DROPPED, false, PLANT_ROUNDS).escapes, >, 0);
  if (escapes->zero_points)
    g_assert_cmpuint(run(op, PLANT_ZERO_POINTS, false, PLANT_ROUNDS).escapes, >, 0);
}

static void add_test(const char *name, const op_t *op, GTestDataFunc test) {
  char *path = g_strdup_printf("/enclose/%s/%s", name, op->name);
  g_test_add_data_func(path, op, test);
  g_free(path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (const op_t *const *op = op_all(); *op != NULL; op++) {
    const oracle_t *oracle = oracle_find(*op);
    if (oracle == NULL || oracle->enclose == NULL) continue;
    add_test("contracts", *op, test_op);
    add_test("plants", *op, test_plants);
  }
  return g_test_run();
}
