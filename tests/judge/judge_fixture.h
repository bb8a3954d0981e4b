/* SPDX-License-Identifier: Apache-2.0 */
/* A judge with a scripted oracle: what it answers is planned component by component. */
#ifndef ASSAY_TESTS_JUDGE_JUDGE_FIXTURE_H
#define ASSAY_TESTS_JUDGE_JUDGE_FIXTURE_H

#include <glib.h>

#include "harness/judge/judge.h"

enum { FIXTURE_COMPONENTS_MAX = 1024 };

/* What the oracle says of one component.  It conforms if `conforms`, or under a contract for which
 * `is_explained` is true. */
typedef struct script {
  status_t status;
  answer_t answer;
  bool (*is_explained)(const contract_t *contract);
  bool permits_zero; /* Whether it conforms in other results than the fixture's: zeros. */
  int asked;         /* How often under the judge's own contract. */
} script_t;

typedef struct fixture {
  arena_t arena;
  case_t instance;
  tensor_t result;
  accept_t accept; /* Nothing known: every component is asked about. */
  judge_t judge;
  script_t scripts[FIXTURE_COMPONENTS_MAX];
  int asked_under_other_contracts;
  int asked_zeros; /* Of other results than the fixture's. */
  verdict_t verdict;
  failure_t error;
} fixture_t;

static inline status_t fixture_decide(void *context, const oracle_call_t *call, uint32_t result,
                                      size_t component, answer_t *out_answer) {
  fixture_t *fixture = context;
  g_assert_true(call->instance == &fixture->instance);
  g_assert_cmpuint(result, ==, 0);
  g_assert_cmpuint(component, <, fixture->accept.count);
  script_t *script = &fixture->scripts[component];
  if (call->results != &fixture->result) {
    g_assert_null(call->memo); /* It is the asker's, also of zeros. */
    fixture->asked_zeros++;
    *out_answer =
        (answer_t){.conforms = script->permits_zero, .has_reference = true, .ulp_error = 1};
    return STATUS_OK;
  }
  bool is_own = memcmp(call->contract, &fixture->judge.contract, sizeof *call->contract) == 0;
  script->asked += is_own;
  fixture->asked_under_other_contracts += !is_own;
  if (script->status != STATUS_OK) return status_fail(call->error, script->status, "scripted");
  *out_answer = script->answer;
  if (!is_own && script->is_explained != NULL) {
    out_answer->conforms = script->is_explained(call->contract);
    g_strlcpy(out_answer->observed, out_answer->conforms ? "explained" : "", 64);
  }
  return STATUS_OK;
}

/* A result of `count` components, all zero bits, judged under the strict contract. */
static inline fixture_t *fixture_new(const char *element, size_t count) {
  g_assert_cmpuint(count, <=, FIXTURE_COMPONENTS_MAX);
  fixture_t *fixture = g_new0(fixture_t, 1);
  arena_init(&fixture->arena);
  int64_t size = (int64_t)(count / element_named(element)->components);
  fixture->result.type = type_make(element_named(element), 1, &size);
  fixture->result.data = arena_alloc_zeroed(&fixture->arena, type_bytes(&fixture->result.type) + 1);
  fixture->instance.program.result_count = 1;
  fixture->instance.program.results[0] = fixture->result.type;
  fixture->accept.count = count;
  fixture->judge = (judge_t){.decide = fixture_decide, .decide_context = fixture};
  fixture->judge.contract =
      (contract_t){.values[PERMISSION_order] = ORDER_IN_ORDER,
                   .values[PERMISSION_init_count] = INIT_COUNT_ONE,
                   .values[PERMISSION_integer_overflow] = INTEGER_OVERFLOW_WRAP};
  return fixture;
}

static inline void fixture_free(fixture_t *fixture) {
  arena_deinit(&fixture->arena);
  g_free(fixture);
}

static inline void fixture_set_bits(fixture_t *fixture, size_t component, uint64_t bits) {
  element_store(fixture->result.type.element, fixture->result.data, component, bits);
}

static inline void fixture_set_value(fixture_t *fixture, size_t component, double value) {
  const format_t *format = fixture->result.type.element->format;
  fixture_set_bits(fixture, component, format_from_double(format, value));
}

static inline const verdict_t *fixture_judge(fixture_t *fixture) {
  status_t status = judge_results(&fixture->judge, &fixture->instance, &fixture->accept,
                                  &fixture->result, &fixture->verdict, &fixture->error);
  g_assert_cmpint(status, ==, STATUS_OK);
  return &fixture->verdict;
}

static inline int fixture_asked(const fixture_t *fixture) {
  int asked = 0;
  for (size_t i = 0; i < fixture->accept.count; i++) asked += fixture->scripts[i].asked;
  return asked;
}

#endif
