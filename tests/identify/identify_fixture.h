/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of identification share: black boxes over builtin executors, and identifying them.
 */
#ifndef ASSAY_TESTS_IDENTIFY_IDENTIFY_FIXTURE_H
#define ASSAY_TESTS_IDENTIFY_IDENTIFY_FIXTURE_H

#include "harness/builtin/builtin.h"
#include "harness/identify/probe/executor_sum.h"

typedef struct fixture {
  arena_t arena;
  failure_t error;
  executor_t *executor;
  executor_sum_t *black_box;
  identification_t found;
} fixture_t;

/* The types "L", "R" (NULL for a reduction) and "T". */
static inline sum_shape_t make_shape(const char *left, const char *right, const char *result,
                                     int64_t terms) {
  return (sum_shape_t){.is_dot = right != NULL,
                       .left = element_named(left),
                       .right = element_named(right != NULL ? right : left),
                       .result = element_named(result),
                       .terms = terms};
}

static inline void fixture_open(fixture_t *fixture, const char *name, const sum_shape_t *shape) {
  *fixture = (fixture_t){.executor = NULL};
  arena_init(&fixture->arena);
  const executor_options_t options = {.find_builtin = builtin_find};
  status_t status = executor_open(name, &options, &fixture->executor, &fixture->error);
  g_assert_cmpstr(fixture->error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
  status = executor_sum_open(fixture->executor, shape, &fixture->arena, &fixture->black_box,
                             &fixture->error);
  g_assert_cmpstr(fixture->error.text, ==, "");
  g_assert_cmpint(status, ==, STATUS_OK);
}

static inline void fixture_identify(fixture_t *fixture) {
  const identify_options_t options = {.seed = 1};
  status_t status = identify(executor_sum_black_box(fixture->black_box), &options, &fixture->arena,
                             &fixture->found, &fixture->error);
  g_assert_cmpint(status, ==, STATUS_OK);
}

static inline void fixture_close(fixture_t *fixture) {
  executor_close(fixture->executor);
  arena_deinit(&fixture->arena);
}

/* The tree of the profile as text, to be freed. */
static inline char *tree_text(const profile_t *profile) {
  GString *text = g_string_new(NULL);
  profile_print_tree(profile, text);
  return g_string_free(text, FALSE);
}

/* Fails, and tells about what, unless the executor was identified and all vectors predicted. */
static inline void assert_identified(const fixture_t *fixture, const char *label) {
  const identification_t *found = &fixture->found;
  if (found->identity == IDENTITY_FOUND && found->has_profile &&
      found->predicted == found->checked) {
    return;
  }
  g_test_message("%s: %s, %zu of %zu predicted: %s", label, identity_name(found->identity),
                 found->predicted, found->checked, found->reason);
  g_test_fail();
}

#endif
