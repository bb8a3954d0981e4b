/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what `assay thresholds` kept, and leaves out other executors and versions. */
#include "harness/cli/task/thresholds.h"

#include <string.h>

#include "harness/cli/task/programs.h"
#include "harness/gen/found_thresholds.h"

/* Adds the rows of one executor; *out_other is a version of it of which there are rows, if there
 * are none of its own, else NULL. */
static bool add_rows(const found_thresholds_t *read, const executor_t *executor,
                     found_thresholds_t *found, const char **out_other) {
  bool has_own = false;
  *out_other = NULL;
  for (size_t i = 0; i < found_thresholds_count(read); i++) {
    const found_threshold_t *row = found_thresholds_at(read, i);
    if (strcmp(row->executor, executor_name(executor)) != 0) continue;
    if (strcmp(row->version, executor_version(executor)) == 0) {
      found_thresholds_add(found, row);
      has_own = true;
    } else {
      *out_other = row->version;
    }
  }
  if (has_own) *out_other = NULL;
  return has_own;
}

/* What is asked of a file that was read. */
typedef struct asking {
  const char *path;
  executor_t *const *executors;
  size_t executor_count;
  bool *out_has; /* Or NULL. */
} asking_t;

static status_t fail_for_version(const asking_t *asking, const executor_t *executor,
                                 const char *other, failure_t *error) {
  const char *name = executor_name(executor);
  return status_fail(error, STATUS_INVALID,
                     "%s (--thresholds) has sizes of %s in version %.100s, and this is version "
                     "%.100s, which may change elsewhere; measure anew: assay thresholds "
                     "--executor '%s' --out %s",
                     asking->path, name, other, executor_version(executor), name, asking->path);
}

static status_t select_rows(const asking_t *asking, const found_thresholds_t *read,
                            found_thresholds_t *found, failure_t *error) {
  for (size_t i = 0; i < asking->executor_count; i++) {
    const char *other;
    bool has_own = add_rows(read, asking->executors[i], found, &other);
    if (asking->out_has != NULL) asking->out_has[i] = has_own;
    if (other != NULL) return fail_for_version(asking, asking->executors[i], other, error);
  }
  if (found_thresholds_count(found) > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "%s (--thresholds) has no sizes of this version of the executor; find them: "
                     "assay thresholds --executor NAME --out FILE",
                     asking->path);
}

status_t thresholds_select(const char *path, executor_t *const *executors, size_t executor_count,
                           found_thresholds_t **out_found, bool *out_has, failure_t *error) {
  found_thresholds_t *read = found_thresholds_new();
  found_thresholds_t *found = found_thresholds_new();
  status_t status = found_thresholds_read(read, path, error);
  if (status == STATUS_OK) {
    const asking_t asking = {path, executors, executor_count, out_has};
    status = select_rows(&asking, read, found, error);
  }
  found_thresholds_free(read);
  if (status == STATUS_OK) {
    *out_found = found;
  } else {
    found_thresholds_free(found);
  }
  return status;
}

status_t thresholds_check(const char *path, const strata_t *strata, bool has_programs,
                          failure_t *error) {
  if (path == NULL) return STATUS_OK;
  if (has_programs) {
    return status_fail(error, STATUS_INVALID,
                       "--thresholds says which programs are drawn, and here they are given; leave "
                       "out one of the two");
  }
  if (strata->shares[STRATUM_thresholds] > 0) return STATUS_OK;
  return status_fail(error, STATUS_INVALID,
                     "--strata gives no share to thresholds, which --thresholds is for; add "
                     "thresholds=1");
}

status_t task_open_thresholds(task_t *task, failure_t *error) {
  const task_flags_t *flags = task->flags;
  if (flags->thresholds == NULL) return STATUS_OK;
  stream_options_t *stream = &task->options.stream;
  STATUS_TRY(thresholds_check(flags->thresholds, &stream->gen.strata,
                              task_programs_are_given(flags), error));
  STATUS_TRY(thresholds_select(flags->thresholds, task->executors.items, task->executors.count,
                               &task->thresholds, NULL, error));
  stream->gen.thresholds = task->thresholds;
  return STATUS_OK;
}
