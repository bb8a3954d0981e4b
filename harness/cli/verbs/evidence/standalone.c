/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the worker or the shared object, asks it, and runs what it wrote. */
#include "harness/cli/verbs/evidence/standalone.h"

#include <glib.h>

#include "harness/builtin/builtin.h"
#include "harness/exec/executor_address.h"
#include "harness/exec/process/c_source.h"
#include "harness/exec/process/script.h"

/* A refusal is no failure: there is a report without a script. */
static status_t take_refusal(status_t status, failure_t *reason, standalone_t *standalone,
                             failure_t *error) {
  if (status == STATUS_UNSUPPORTED) {
    standalone->refusal = g_strdup(reason->text);
    return STATUS_OK;
  }
  if (status != STATUS_OK) *error = *reason;
  return status;
}

static status_t make_python(const char *command, const case_t *instance, standalone_t *standalone,
                            failure_t *error) {
  failure_t reason = {0};
  status_t status = process_script(command, instance, &standalone->script, &reason);
  STATUS_TRY(take_refusal(status, &reason, standalone, error));
  if (standalone->script == NULL) return STATUS_OK;
  return process_script_run(command, standalone->script, &standalone->results, &standalone->words,
                            error);
}

static status_t make_c(const executor_address_t *address, const case_t *instance,
                       standalone_t *standalone, failure_t *error) {
  failure_t reason = {0};
  standalone->is_c = true;
  const char *options = address->options == NULL ? "" : address->options;
  status_t status = c_source(address->path, options, instance, &standalone->script, &reason);
  STATUS_TRY(take_refusal(status, &reason, standalone, error));
  if (standalone->script == NULL) return STATUS_OK;
  return c_source_run(standalone->script, &standalone->results, &standalone->words, error);
}

status_t standalone_make(const char *executor, const case_t *instance, standalone_t *out_standalone,
                         failure_t *error) {
  *out_standalone = (standalone_t){0};
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_address_t address;
  STATUS_TRY(executor_address_find(executor, &options, &address, error));
  status_t status = STATUS_OK;
  if (address.command != NULL) {
    status = make_python(address.command, instance, out_standalone, error);
  } else if (address.path != NULL && !address.is_stepwise) {
    status = make_c(&address, instance, out_standalone, error);
  } else {
    out_standalone->refusal = g_strdup(
        "only workers write scripts, and shared objects programs in C, and this is neither");
  }
  executor_address_deinit(&address);
  if (status != STATUS_OK) standalone_free(out_standalone);
  return status;
}

void standalone_free(standalone_t *standalone) {
  g_free(standalone->script);
  g_free(standalone->refusal);
  g_free(standalone->results);
  g_free(standalone->words);
  *standalone = (standalone_t){0};
}
