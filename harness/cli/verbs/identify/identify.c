/* SPDX-License-Identifier: Apache-2.0 */
/* assay identify: finds how an executor adds, then predicts its bits. */
#include <stdio.h>
#include <string.h>

#include "harness/builtin/builtin.h"
#include "harness/cli/options/checks/output_file.h"
#include "harness/cli/options/flags.h"
#include "harness/cli/verbs/identify/map.h"
#include "harness/cli/verbs/identify/run.h"
#include "harness/cli/verbs/identify/sizes.h"
#include "harness/identify/profile/words.h"
#include "reports/verdict/describe.h"

typedef struct identify_flags {
  identify_output_flags_t output;
  executor_flags_t executor;
  char *op;
  char *type;
  char *n;
  char *m;
  char *columns;
  char *batch;
  char *layout;
  char *seed;
  gboolean as_json;
} identify_flags_t;

static void flags_add(identify_flags_t *flags, arguments_t *arguments) {
  executor_flags_add(&flags->executor, arguments);
  identify_output_flags_add(&flags->output, arguments);
  const GOptionEntry entries[] = {
      {"op", 0, 0, G_OPTION_ARG_STRING, &flags->op,
       "stablehlo.reduce (body add) or stablehlo.dot_general", "OP"},
      {"type", 't', 0, G_OPTION_ARG_STRING, &flags->type,
       "f32 (default), bf16->f32, f8E4M3FN,f8E5M2->f32: terms, or both factors, and result",
       "TYPES"},
      {"n", 'n', 0, G_OPTION_ARG_STRING, &flags->n,
       "How many terms are summed; FIRST..LAST makes a map over sizes, here or in the next three",
       "N"},
      {"m", 'm', 0, G_OPTION_ARG_STRING, &flags->m, "A kept dimension before the terms: rows", "M"},
      {"columns", 0, 0, G_OPTION_ARG_STRING, &flags->columns,
       "A kept dimension behind the terms: columns", "C"},
      {"batch", 0, 0, G_OPTION_ARG_STRING, &flags->batch, "A batching dimension (dot_general)",
       "B"},
      {"layout", 0, 0, G_OPTION_ARG_STRING, &flags->layout,
       "nn (default), tn, nt or tt: which operands are transposed (dot_general)", "LAYOUT"},
      {"seed", 0, 0, G_OPTION_ARG_STRING, &flags->seed,
       "The seed of the random vectors (default 1)", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &flags->as_json, "Print one JSON document", NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

static void flags_free(identify_flags_t *flags) {
  executor_flags_free(&flags->executor);
  identify_output_flags_free(&flags->output);
  g_free(flags->op);
  g_free(flags->type);
  g_free(flags->n);
  g_free(flags->m);
  g_free(flags->columns);
  g_free(flags->batch);
  g_free(flags->layout);
  g_free(flags->seed);
}

static status_t find_float(str_t name, const element_t **out_element, failure_t *error) {
  *out_element = element_find(name);
  bool is_float = *out_element != NULL && (*out_element)->kind == ELEMENT_FLOAT &&
                  (*out_element)->is_tensor_element;
  if (is_float) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "'%.*s' (--type) is no float type; write f32, bf16->f32 or the like",
                     STR_FORMAT(name));
}

/* "T", "T->R" or "L,R->T". */
static status_t parse_types(const char *text, sum_shape_t *shape, failure_t *error) {
  const char *whole = text != NULL ? text : "f32";
  const char *arrow = strstr(whole, "->");
  str_t operands = {.data = whole, .size = arrow != NULL ? (size_t)(arrow - whole) : strlen(whole)};
  const char *comma = memchr(operands.data, ',', operands.size);
  str_t left = operands;
  str_t right = operands;
  if (comma != NULL) {
    left.size = (size_t)(comma - whole);
    right = (str_t){.data = comma + 1, .size = operands.size - left.size - 1};
  }
  if (comma != NULL && !shape->is_dot) {
    return status_fail(error, STATUS_INVALID, "'%s' (--type): a reduction has one operand type",
                       whole);
  }
  STATUS_TRY(find_float(left, &shape->left, error));
  STATUS_TRY(find_float(right, &shape->right, error));
  return find_float(arrow != NULL ? str_from(arrow + 2) : left, &shape->result, error);
}

/* "N", or "FIRST..LAST", which makes the option the one that is mapped. */
static status_t parse_size(const char *option, const char *text, int64_t *size,
                           identify_plan_t *inout_plan, failure_t *error) {
  *size = 0;
  if (text == NULL) return STATUS_OK;
  scan_t scan = scan_make(str_from(text));
  int64_t first = 0;
  int64_t last = 0;
  bool is_good = scan_integer(&scan, &first, NULL) == STATUS_OK;
  bool is_range = is_good && scan_accept(&scan, "..");
  if (is_range) is_good = scan_integer(&scan, &last, NULL) == STATUS_OK && last > first;
  if (!is_good || !scan_at_end(&scan) || first < 1 || MAX(first, last) > PROFILE_TERMS_MAX) {
    return status_fail(error, STATUS_INVALID, "'%s' (%s) is no size; write 1 to %d, or FIRST..LAST",
                       text, option, PROFILE_TERMS_MAX);
  }
  *size = first;
  if (!is_range) return STATUS_OK;
  if (inout_plan->mapped != NULL) {
    return status_fail(error, STATUS_INVALID, "two ranges (%s and %s); a map has one",
                       inout_plan->mapped, option);
  }
  inout_plan->mapped = option;
  inout_plan->varied = size;
  inout_plan->first = first;
  inout_plan->last = last;
  return STATUS_OK;
}

static status_t parse_op(const char *name, sum_shape_t *shape, failure_t *error) {
  if (name == NULL) {
    return status_fail(error, STATUS_INVALID,
                       "no op given; add --op stablehlo.reduce or --op stablehlo.dot_general");
  }
  shape->is_dot = strcmp(name, "stablehlo.dot_general") == 0;
  if (shape->is_dot || strcmp(name, "stablehlo.reduce") == 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "'%s' (--op) is no sum; write stablehlo.reduce or stablehlo.dot_general",
                     name);
}

static status_t parse_layout(const char *layout, sum_shape_t *shape, failure_t *error) {
  if (layout == NULL) return STATUS_OK;
  bool is_known = strlen(layout) == 2 && strspn(layout, "nt") == 2;
  if (!is_known) {
    return status_fail(error, STATUS_INVALID, "'%s' (--layout): write nn, tn, nt or tt", layout);
  }
  shape->left_is_transposed = layout[0] == 't';
  shape->right_is_transposed = layout[1] == 't';
  if (shape->is_dot) return STATUS_OK;
  return status_fail(error, STATUS_INVALID, "--layout is for stablehlo.dot_general");
}

static status_t parse_plan(const identify_flags_t *flags, identify_plan_t *plan, failure_t *error) {
  sum_shape_t *shape = &plan->shape;
  STATUS_TRY(output_file_check("--svg", flags->output.svg, error));
  STATUS_TRY(parse_op(flags->op, shape, error));
  STATUS_TRY(parse_types(flags->type, shape, error));
  STATUS_TRY(parse_size("--n", flags->n, &shape->terms, plan, error));
  STATUS_TRY(parse_size("--m", flags->m, &shape->rows, plan, error));
  STATUS_TRY(parse_size("--columns", flags->columns, &shape->columns, plan, error));
  STATUS_TRY(parse_size("--batch", flags->batch, &shape->batch, plan, error));
  STATUS_TRY(parse_layout(flags->layout, shape, error));
  if (shape->terms == 0) {
    return status_fail(error, STATUS_INVALID, "no size given; add --n N, the number of terms");
  }
  if (shape->batch > 0 && !shape->is_dot) {
    return status_fail(error, STATUS_INVALID, "--batch is for stablehlo.dot_general");
  }
  return STATUS_OK;
}

/* Draws what was found, and stores it if it predicts all that was tried. */
static status_t put_out(const identify_flags_t *flags, store_t *store, const executor_t *executor,
                        const identified_t *identified, failure_t *error) {
  const identification_t *identification = &identified->identification;
  const profile_t *profile = &identification->profile;
  if (!identification->has_profile) return STATUS_OK;
  STATUS_TRY(identify_output_draw(&flags->output, executor, profile, error));
  if (store == NULL || !identified_is_explained(identified)) return STATUS_OK;
  g_autoptr(GString) words = g_string_new(NULL);
  profile_words(profile, words);
  const identify_stored_t stored = {.profile = profile,
                                    .rule = "",
                                    .words = words->str,
                                    .terms_low = profile->term_count,
                                    .terms_high = profile->term_count};
  return identify_output_store(store, executor, &stored, error);
}

static int identify_one(const identify_flags_t *flags, store_t *store, executor_t *executor,
                        const sum_shape_t *shape, uint64_t seed) {
  arena_t arena;
  arena_init(&arena);
  failure_t error = {0};
  identified_t identified = {.executor = NULL};
  const identify_options_t options = {.seed = seed};
  status_t status = identify_shape(executor, shape, &options, &arena, &identified, &error);
  int exit_code = EXIT_CODE_CLEAN;
  if (status != STATUS_OK) {
    exit_code = complain_status(status, &error);
  } else {
    GString *line = g_string_new(NULL);
    sum_shape_print(shape, line);
    if (flags->as_json) {
      json_print(identified_json(&identified, line->str), false);
    } else {
      identified_print(&identified, line->str);
    }
    g_string_free(line, TRUE);
    if (!identified_is_explained(&identified)) exit_code = EXIT_CODE_DIVERGES;
    status = put_out(flags, store, executor, &identified, &error);
    if (status != STATUS_OK) exit_code = complain_status(status, &error);
  }
  identified_free(&identified);
  arena_deinit(&arena);
  return exit_code;
}

/* With a database, rules are sought that predict every length, and stored. */
static int identify_range(executor_t *executor, const identify_plan_t *plan, uint64_t seed,
                          store_t *store, bool as_json) {
  bool is_over_terms = plan->varied == &plan->shape.terms;
  if (store == NULL || !is_over_terms) return identify_sizes(executor, plan, seed, as_json);
  const length_range_t range = {.low = plan->first, .high = plan->last};
  return identify_map(executor, &plan->shape, range, seed, store, as_json);
}

static int identify_all(const identify_flags_t *flags) {
  failure_t error = {0};
  uint64_t seed;
  identify_plan_t plan = {.mapped = NULL};
  status_t status = arguments_parse_seed(flags->seed, &seed, &error);
  if (status == STATUS_OK) status = parse_plan(flags, &plan, &error);
  if (status != STATUS_OK) return complain_status(status, &error);
  executor_list_t executors;
  int exit_code = executor_flags_open(&flags->executor, &executors);
  if (exit_code != EXIT_CODE_CLEAN) return exit_code;
  store_t *store = NULL;
  if (flags->output.svg != NULL && (executors.count > 1 || plan.mapped != NULL)) {
    status = status_fail(&error, STATUS_INVALID,
                         "--svg draws one executor at one length; name one of each");
  } else if (flags->output.database != NULL && plan.mapped != NULL &&
             plan.varied != &plan.shape.terms) {
    status = status_fail(&error, STATUS_INVALID, "--db stores maps over --n alone, not over %s",
                         plan.mapped);
  } else if (flags->output.database != NULL) {
    status = store_open(flags->output.database, &store, &error);
  }
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  for (size_t i = 0; i < executors.count && status == STATUS_OK; i++) {
    executor_t *executor = executors.items[i];
    int one = plan.mapped == NULL ? identify_one(flags, store, executor, &plan.shape, seed)
                                  : identify_range(executor, &plan, seed, store, flags->as_json);
    exit_code = one > exit_code ? one : exit_code;
  }
  status = store_close(store, &error);
  if (status != STATUS_OK) exit_code = complain_status(status, &error);
  return executor_list_close(&executors, exit_code);
}

int command_identify(const command_t *command, int argc, char **argv) {
  identify_flags_t flags = {.op = NULL};
  arguments_t arguments = arguments_make(command);
  flags_add(&flags, &arguments);
  int exit_code = EXIT_CODE_USAGE;
  if (arguments_parse(&arguments, &argc, &argv, 0, 0)) exit_code = identify_all(&flags);
  flags_free(&flags);
  return exit_code;
}
