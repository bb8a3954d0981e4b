/* SPDX-License-Identifier: Apache-2.0 */
/* Of a result with a sample nobody is asked about what lies outside of it, where nothing is known
 * there; that counts as untested, and nobody is blamed for it. */
#include "tests/judge/judge_fixture.h"

enum { COUNT = 300, DRAWS = 132 };

/* Every third component is in the sample; all conform, if they are asked about. */
static fixture_t *make_sampled(const uint8_t *decide, uint8_t sampled[COUNT]) {
  fixture_t *fixture = fixture_new("f32", COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    sampled[i] = i % 3 == 0;
    fixture->scripts[i].answer.conforms = true;
  }
  fixture->accept.decide = decide;
  fixture->accept.sampled = sampled;
  fixture->accept.sample_draws = DRAWS;
  fixture->accept.leaves_out = true;
  return fixture;
}

static void test_unknown(void) {
  uint8_t decide[COUNT], sampled[COUNT];
  memset(decide, 1, sizeof decide);
  fixture_t *fixture = make_sampled(decide, sampled);
  const verdict_t *verdict = fixture_judge(fixture);
  g_assert_cmpint(verdict->outcome, ==, OUTCOME_conforms);
  g_assert_cmpint(fixture_asked(fixture), ==, COUNT / 3);
  g_assert_cmpuint(verdict->left_out_count, ==, COUNT / 3 * 2);
  g_assert_cmpuint(verdict->untested_count, ==, COUNT / 3 * 2);
  g_assert_cmpuint(verdict->sample_draws, ==, DRAWS);
  fixture->scripts[1].answer.conforms = false; /* Not in the sample. */
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  fixture->scripts[3].answer.conforms = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
  g_assert_cmpuint(fixture->verdict.wrong_count, ==, 1);
  fixture_free(fixture);
}

/* What a fast set knows is judged, in the sample or not; what few do not know is asked about. */
static void test_known(void) {
  static double low[COUNT], high[COUNT];
  uint8_t decide[COUNT] = {0}, sampled[COUNT];
  fixture_t *fixture = make_sampled(decide, sampled);
  fixture->accept.low = low;
  fixture->accept.high = high;
  fixture_set_value(fixture, 1, 1); /* Outside of its set. */
  fixture->scripts[1].answer.conforms = false;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_diverges);
  g_assert_cmpuint(fixture->verdict.left_out_count, ==, 0);
  fixture->accept.leaves_out = false;
  decide[2] = 1;
  fixture->scripts[1].answer.conforms = true;
  g_assert_cmpint(fixture_judge(fixture)->outcome, ==, OUTCOME_conforms);
  g_assert_cmpuint(fixture->verdict.left_out_count, ==, 0);
  g_assert_cmpuint(fixture->verdict.sample_draws, ==, 0);
  fixture_free(fixture);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/left_out/unknown", test_unknown);
  g_test_add_func("/left_out/known", test_known);
  return g_test_run();
}
