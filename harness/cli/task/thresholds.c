/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what `assay thresholds` kept, and leaves out other executors and versions. */
#include "harness/cli/task/thresholds.h"

#include <string.h>

#include "harness/gen/found_thresholds.h"

status_t task_open_thresholds(task_t *task, failure_t *error) {
  const char *path = task->flags->thresholds;
  if (path == NULL) return STATUS_OK;
  task->thresholds = found_thresholds_new();
  found_thresholds_t *read = found_thresholds_new();
  status_t status = found_thresholds_read(read, path, error);
  for (size_t i = 0; i < found_thresholds_count(read) && status == STATUS_OK; i++) {
    const found_threshold_t *row = found_thresholds_at(read, i);
    for (size_t k = 0; k < task->executors.count; k++) {
      const executor_t *executor = task->executors.items[k];
      bool is_its = strcmp(row->executor, executor_name(executor)) == 0 &&
                    strcmp(row->version, executor_version(executor)) == 0;
      if (is_its) found_thresholds_add(task->thresholds, row);
    }
  }
  found_thresholds_free(read);
  STATUS_TRY(status);
  if (found_thresholds_count(task->thresholds) == 0) {
    return status_fail(error, STATUS_INVALID,
                       "%s (--thresholds) has no sizes of this version of the executor; find them: "
                       "assay thresholds --executor NAME --out FILE",
                       path);
  }
  task->options.stream.gen.thresholds = task->thresholds;
  return STATUS_OK;
}
