/* SPDX-License-Identifier: Apache-2.0 */
/* Asks an executor about pairs, and keeps the table of its answers. */
#include "harness/run/capability/capability.h"

#include <string.h>

#include "harness/run/capability/capability_file.h"

enum { REASON_BYTES = 192 };

struct capability {
  GArray *rows;        /* capability_row_t, of the pairs that were asked for. */
  GHashTable *by_pair; /* "OP TYPES" -> index of the row, plus one. */
  GStringChunk *texts;
  size_t programs;
};

void capability_free(capability_t *capability) {
  if (capability == NULL) return;
  g_array_unref(capability->rows);
  g_hash_table_destroy(capability->by_pair);
  g_string_chunk_free(capability->texts);
  g_free(capability);
}

static void add_row(capability_t *capability, const pair_t *pair, const capability_row_t *answer) {
  const capability_row_t row = {
      .op = pair->op->name,
      .types = g_string_chunk_insert_const(capability->texts, pair->types),
      .state = answer->state,
      .reason = g_string_chunk_insert_const(capability->texts, answer->reason)};
  g_array_append_val(capability->rows, row);
  g_hash_table_insert(capability->by_pair, g_strconcat(row.op, " ", row.types, NULL),
                      GUINT_TO_POINTER(capability->rows->len));
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* What the executor says to one program.  One that breaks what it promises is not refused: it is
 * to be drawn and found. */
static capability_state_t ask(executor_t *executor, const program_t *program, char *out_reason,
                              size_t reason_bytes) {
  executor_promise_t promise = executor_promises(executor, program);
  executor_program_t *compiled;
  switch (executor_compile(executor, program, &compiled, out_reason, reason_bytes)) {
    case EXECUTOR_OK:
      if (promise != EXECUTOR_PROMISE_NO) return CAPABILITY_TAKEN;
      g_strlcpy(out_reason, "takes what is outside of the target that it declares", reason_bytes);
      return CAPABILITY_FAILED;
    case EXECUTOR_REFUSED:
      return promise == EXECUTOR_PROMISE_YES ? CAPABILITY_FAILED : CAPABILITY_REFUSED;
    default:
      return CAPABILITY_FAILED;
  }
}

/* Asks until a program is taken; a failure counts more than a refusal. */
static void ask_pair(capability_t *capability, executor_t *executor, const pair_t *pair,
                     capability_row_t *out_row, char *reason, size_t reason_bytes) {
  *out_row = (capability_row_t){.state = CAPABILITY_REFUSED, .reason = reason};
  for (size_t i = 0; i < pair->program_count; i++) {
    char said[REASON_BYTES] = "";
    capability->programs++;
    capability_state_t state = ask(executor, pair->programs[i], said, sizeof said);
    if (state == CAPABILITY_REFUSED && out_row->state == CAPABILITY_FAILED) continue;
    out_row->state = state;
    g_strlcpy(reason, state == CAPABILITY_TAKEN ? "" : said, reason_bytes);
    if (state == CAPABILITY_TAKEN) return;
  }
}

static bool is_stopped(const capability_request_t *request) {
  return request->stop != NULL && *request->stop != 0;
}

/* Opens the executor at the first pair that is to be asked about; the caller closes it. */
static status_t ask_missing(capability_t *capability, const capability_request_t *request,
                            capability_file_t *file, executor_t **inout_executor,
                            failure_t *error) {
  GArray *items = request->pairs->items;
  for (guint i = 0; i < items->len; i++) {
    const pair_t *pair = pairs_at(request->pairs, i);
    capability_row_t answer;
    char reason[REASON_BYTES] = "";
    bool is_known = capability_file_find(file, pair->op->name, pair->types, &answer);
    if (!is_known && request->only_known) {
      answer = (capability_row_t){.state = CAPABILITY_UNKNOWN, .reason = ""};
    } else if (!is_known) {
      executor_options_t options = *request->options;
      options.isolate = true;
      if (is_stopped(request)) {
        return status_fail(error, STATUS_IO,
                           "interrupted while %s was asked what it takes; its "
                           "answers are kept",
                           request->executor);
      }
      if (*inout_executor == NULL) {
        STATUS_TRY(executor_open(request->executor, &options, inout_executor, error));
      }
      if (request->on_ask != NULL) {
        request->on_ask(request->context, request->executor, i, items->len);
      }
      ask_pair(capability, *inout_executor, pair, &answer, reason, sizeof reason);
      capability_file_add(file, pair->op->name, pair->types, &answer);
    }
    add_row(capability, pair, &answer);
  }
  return STATUS_OK;
}

static bool is_builtin(const capability_request_t *request) {
  return request->options->find_builtin != NULL &&
         request->options->find_builtin(request->executor) != NULL;
}

status_t capability_find(const capability_request_t *request, const executor_t *present,
                         capability_t **out_capability, failure_t *error) {
  capability_t *capability = g_new0(capability_t, 1);
  capability->rows = g_array_new(FALSE, FALSE, sizeof(capability_row_t));
  capability->by_pair = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  capability->texts = g_string_chunk_new(4096);
  status_t status = STATUS_OK;
  if (is_builtin(request)) {
    const capability_row_t taken = {.state = CAPABILITY_TAKEN, .reason = ""};
    for (guint i = 0; i < request->pairs->items->len; i++) {
      add_row(capability, pairs_at(request->pairs, i), &taken);
    }
  } else {
    capability_file_t *file = capability_file_open(present);
    executor_t *executor = NULL;
    status = ask_missing(capability, request, file, &executor, error);
    executor_close(executor);
    capability_file_close(file);
  }
  if (status != STATUS_OK) {
    capability_free(capability);
    return status;
  }
  *out_capability = capability;
  return STATUS_OK;
}

/* ---- The table ------------------------------------------------------------------------------- */

capability_state_t capability_state(const capability_t *capability, const char *op,
                                    const char *types) {
  g_autofree char *key = g_strconcat(op, " ", types, NULL);
  guint index = GPOINTER_TO_UINT(g_hash_table_lookup(capability->by_pair, key));
  if (index == 0) return CAPABILITY_UNKNOWN;
  return g_array_index(capability->rows, capability_row_t, index - 1).state;
}

size_t capability_count(const capability_t *capability) { return capability->rows->len; }

capability_row_t capability_at(const capability_t *capability, size_t index) {
  return g_array_index(capability->rows, capability_row_t, index);
}

size_t capability_programs(const capability_t *capability) { return capability->programs; }

stream_admission_t capability_admits(void *context, size_t executor, const program_t *program) {
  enum { EXPLORE_ONE_IN = 256 };
  capability_filter_t *filter = (capability_filter_t *)context;
  g_autoptr(GString) types = g_string_new(NULL);
  program_print_types(program, types);
  if (!profile_has(filter->profile, program->op->name, types->str)) return STREAM_LEAVES;
  if (filter->capabilities == NULL) return STREAM_ADMITS;
  const capability_t *capability = filter->capabilities[executor];
  if (capability_state(capability, program->op->name, types->str) != CAPABILITY_REFUSED)
    return STREAM_ADMITS;
  if (++filter->passed_over < EXPLORE_ONE_IN) return STREAM_LEAVES;
  filter->passed_over = 0;
  return STREAM_INSISTS;
}
