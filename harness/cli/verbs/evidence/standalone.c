/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the command of the worker, asks it, and runs what it wrote. */
#include "harness/cli/verbs/evidence/standalone.h"

#include <glib.h>

#include "harness/builtin/builtin.h"
#include "harness/exec/executor_address.h"
#include "harness/exec/process/script.h"

status_t standalone_make(const char *executor, const case_t *instance, standalone_t *out_standalone,
                         failure_t *error) {
  *out_standalone = (standalone_t){0};
  const executor_options_t options = {.find_builtin = builtin_find};
  executor_address_t address;
  STATUS_TRY(executor_address_find(executor, &options, &address, error));
  status_t status = STATUS_OK;
  if (address.command == NULL) {
    out_standalone->refusal = g_strdup("only workers write scripts, and this is none");
  } else {
    failure_t reason = {0};
    status = process_script(address.command, instance, &out_standalone->script, &reason);
    if (status == STATUS_UNSUPPORTED) {
      out_standalone->refusal = g_strdup(reason.text);
      status = STATUS_OK;
    } else if (status != STATUS_OK) {
      *error = reason;
    }
  }
  if (status == STATUS_OK && out_standalone->script != NULL) {
    status = process_script_run(address.command, out_standalone->script, &out_standalone->results,
                                &out_standalone->words, error);
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
