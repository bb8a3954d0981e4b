/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what executors take, and narrows what a session draws to that. */
#include "harness/cli/task/capabilities.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/exec/registry/paths.h"

void capability_flags_add(capability_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"probe", 0, 0, G_OPTION_ARG_NONE, &flags->probe,
       "Ask first, once for each version of an executor, which ops and types it takes, and draw "
       "these",
       NULL},
      {"count-refused", 0, 0, G_OPTION_ARG_NONE, &flags->counts_refused,
       "With --probe and --part-of: count what is known to be refused, which other parts do not",
       NULL},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

/* What is asked about is told on a terminal, since it may take a minute. */
static void show_asking(void *context, const char *executor, size_t index, size_t count) {
  (void)context;
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r\033[K%s: asking what it takes, %zu of %zu", executor, index + 1, count);
  }
}

static status_t read_profile(const char *name, profile_t **out_profile, failure_t *error) {
  if (name == NULL) return STATUS_OK;
  bool is_path = strchr(name, '/') != NULL || g_file_test(name, G_FILE_TEST_EXISTS);
  if (is_path) return profile_read(name, out_profile, error);
  g_autofree char *file = g_build_filename("profiles", name, NULL);
  g_autofree char *path = worker_source(NULL, file, ".profile");
  if (g_file_test(path, G_FILE_TEST_EXISTS)) return profile_read(path, out_profile, error);
  return status_fail(
      error, STATUS_INVALID,
      "no profile \"%s\" (--profile): write stablehlo, byteir, or the path of a file "
      "or of a folder of *.profile",
      name);
}

static status_t ask_all(capabilities_t *capabilities, const capabilities_request_t *asked,
                        const session_options_t *session, failure_t *error) {
  const executor_flags_t *flags = asked->flags;
  executor_options_t options;
  STATUS_TRY(executor_flags_options(flags, &options, error));
  g_auto(GStrv) names = executor_flags_names(flags);
  status_t status = STATUS_OK;
  for (size_t i = 0; i < capabilities->executor_count && status == STATUS_OK; i++) {
    const capability_request_t request = {.executor = names[i],
                                          .options = &options,
                                          .pairs = &capabilities->pairs,
                                          .only_known = asked->only_known,
                                          .stop = session->stop,
                                          .on_ask = show_asking};
    status = capability_find(&request, session->executors[i], &capabilities->tables[i], error);
    size_t programs = status == STATUS_OK ? capability_programs(capabilities->tables[i]) : 0;
    if (programs == 0) continue;
    fprintf(stderr, "%s%s: asked what it takes, with %zu tiny programs\n",
            isatty(STDERR_FILENO) ? "\r\033[K" : "", names[i], programs);
  }
  return status;
}

/* Whether somebody takes the pair, as far as is known. */
static bool is_taken(const capabilities_t *capabilities, const pair_t *pair) {
  for (size_t i = 0; i < capabilities->executor_count; i++) {
    capability_state_t state =
        capability_state(capabilities->tables[i], pair->op->name, pair->types);
    if (state != CAPABILITY_REFUSED) return true;
  }
  return false;
}

static bool has_taken_pair(const capabilities_t *capabilities, const op_t *op) {
  for (guint i = 0; i < capabilities->pairs.items->len; i++) {
    const pair_t *pair = pairs_at(&capabilities->pairs, i);
    if (pair->op == op && is_taken(capabilities, pair)) return true;
  }
  return false;
}

static status_t narrow(capabilities_t *capabilities, stream_options_t *stream, failure_t *error) {
  if (capabilities->pairs.items->len == 0) {
    return status_fail(error, STATUS_INVALID,
                       "the profile has no op and types that Assay draws; `assay ops` lists ops");
  }
  capabilities->ops = g_new0(const op_t *, stream->op_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < stream->op_count; i++) {
    if (has_taken_pair(capabilities, stream->ops[i])) capabilities->ops[count++] = stream->ops[i];
  }
  if (count == 0) {
    const capability_row_t row = capability_at(capabilities->tables[0], 0);
    return status_fail(error, STATUS_IO,
                       "no executor takes any of these ops and types; of %s %s it is said: %s",
                       row.op, row.types, row.reason[0] == '\0' ? "not supported" : row.reason);
  }
  stream->ops = capabilities->ops;
  stream->op_count = count;
  return STATUS_OK;
}

status_t capabilities_open(const capabilities_request_t *request, session_options_t *inout_options,
                           capabilities_t **out_capabilities, failure_t *error) {
  stream_options_t *stream = &inout_options->stream;
  capabilities_t *capabilities = g_new0(capabilities_t, 1);
  capabilities->executor_count = inout_options->executor_count;
  capabilities->tables = g_new0(capability_t *, capabilities->executor_count);
  status_t status = read_profile(request->profile, &capabilities->profile, error);
  if (status == STATUS_OK) {
    pairs_find(stream->ops, stream->op_count, capabilities->profile, &inout_options->contract,
               &capabilities->pairs);
    status = ask_all(capabilities, request, inout_options, error);
  }
  if (status == STATUS_OK) status = narrow(capabilities, stream, error);
  if (status != STATUS_OK) {
    capabilities_close(capabilities);
    return status;
  }
  capabilities->filter =
      (capability_filter_t){.profile = capabilities->profile, .capabilities = capabilities->tables};
  stream->admits = capability_admits;
  stream->admits_context = &capabilities->filter;
  *out_capabilities = capabilities;
  return STATUS_OK;
}

void capabilities_close(capabilities_t *capabilities) {
  if (capabilities == NULL) return;
  for (size_t i = 0; i < capabilities->executor_count; i++) {
    capability_free(capabilities->tables[i]);
  }
  g_free(capabilities->tables);
  if (capabilities->pairs.items != NULL) pairs_deinit(&capabilities->pairs);
  profile_free(capabilities->profile);
  g_free(capabilities->ops);
  g_free(capabilities);
}

void capabilities_count_refused(const capabilities_t *capabilities, session_t *session) {
  for (size_t i = 0; i < capabilities->executor_count; i++) {
    const capability_t *table = capabilities->tables[i];
    for (size_t k = 0; k < capability_count(table); k++) {
      const capability_row_t row = capability_at(table, k);
      if (row.state != CAPABILITY_REFUSED) continue;
      session_add_refused(session, i, row.op, row.types, row.reason);
    }
  }
}

/* Data for the first of the programs that is not refused: another one would have to be compiled. */
static status_t walk_pair(session_t *session, const pair_t *pair, rng_t *rng, failure_t *error) {
  enum { CASES = 4, TRIES = 8 };
  size_t executors = session_options(session)->executor_count;
  g_autofree verdict_t *verdicts = g_new0(verdict_t, executors);
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  size_t judged = 0, at = 0;
  for (int i = 0; i < TRIES && judged < CASES && status == STATUS_OK; i++) {
    arena_reset(&arena);
    case_t instance = case_make(&arena, pair->programs[at]);
    gen_data(rng, &instance);
    status = session_walk(session, &instance, NULL, verdicts, error);
    bool is_judged = false, is_refused = true;
    for (size_t k = 0; k < executors; k++) {
      is_judged |= outcome_is_judged(verdicts[k].outcome);
      is_refused &= verdicts[k].outcome == OUTCOME_refused;
    }
    judged += is_judged;
    if (is_refused && ++at == pair->program_count) break;
  }
  arena_deinit(&arena);
  return status;
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static bool somebody_is_asked(const session_options_t *options) {
  for (size_t i = 0; i < options->executor_count; i++) {
    if (options->asks_invalid || executor_validates(options->executors[i])) return true;
  }
  return false;
}

/* Whether somebody may take the valid program that is to be broken. */
static bool suits(void *context, const program_t *program) {
  capabilities_t *capabilities = (capabilities_t *)context;
  for (size_t i = 0; i < capabilities->executor_count; i++) {
    if (capability_admits(&capabilities->filter, i, program) != STREAM_LEAVES) return true;
  }
  return false;
}

/* What programs that break constraints are drawn and walked with. */
typedef struct breaking {
  gen_options_t options;
  session_t *session;
  rng_t rng;
} breaking_t;

/* Walks some programs that break one row; `is_under`: under the contract alone. */
static status_t walk_constraint(breaking_t *breaking, const op_t *op, const op_constraint_t *row,
                                bool is_under, failure_t *error) {
  enum { PROGRAMS = 4, ATTEMPTS = 8 };
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  for (int drawn = 0, i = 0; i < ATTEMPTS && drawn < PROGRAMS && status == STATUS_OK; i++) {
    arena_reset(&arena);
    program_t program;
    rng_t *rng = &breaking->rng;
    bool is_drawn =
        is_under ? gen_broken_under(rng, op, row->id, &breaking->options, &arena, &program)
                 : gen_broken_program(rng, op, row->id, &breaking->options, &arena, &program);
    if (!is_drawn) continue;
    drawn++;
    case_t instance = case_make(&arena, &program);
    gen_data(rng, &instance);
    status = session_walk(breaking->session, &instance, row, NULL, error);
  }
  arena_deinit(&arena);
  return status;
}

/* The same of all rows of a list that may be NULL. */
static status_t walk_constraints(breaking_t *breaking, const op_t *op, const op_constraint_t *rows,
                                 bool is_under, failure_t *error) {
  for (; rows != NULL && rows->id != NULL; rows++) {
    if (!op_constraint_is_breakable(rows)) continue;
    STATUS_TRY(walk_constraint(breaking, op, rows, is_under, error));
  }
  return STATUS_OK;
}

status_t capabilities_walk_constraints(capabilities_t *capabilities, session_t *session,
                                       failure_t *error) {
  const session_options_t *options = session_options(session);
  if (!somebody_is_asked(options)) return STATUS_OK;
  breaking_t breaking = {.options = {.limits = {.rank_max = 4, .elements_max = 64, .terms_max = 16},
                                     .contract = &options->contract,
                                     .suits = suits,
                                     .suits_context = capabilities},
                         .session = session,
                         .rng = rng_make(options->stream.seed)};
  for (size_t i = 0; i < options->stream.op_count; i++) {
    const op_t *op = options->stream.ops[i];
    if (options->stop != NULL && *options->stop != 0) break;
    STATUS_TRY(walk_constraints(&breaking, op, op->constraints, false, error));
    STATUS_TRY(walk_constraints(&breaking, op, op->contract_constraints, true, error));
  }
  return STATUS_OK;
}

status_t capabilities_walk_pairs(const capabilities_t *capabilities, session_t *session,
                                 failure_t *error) {
  const session_options_t *options = session_options(session);
  rng_t rng = rng_make(options->stream.seed);
  for (guint i = 0; i < capabilities->pairs.items->len; i++) {
    const pair_t *pair = pairs_at(&capabilities->pairs, i);
    if (options->stop != NULL && *options->stop != 0) break;
    if (is_taken(capabilities, pair)) STATUS_TRY(walk_pair(session, pair, &rng, error));
  }
  return STATUS_OK;
}
