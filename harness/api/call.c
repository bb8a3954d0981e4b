/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of every call: floating-point environment, locale, errors. */
#include <math.h>
#include <string.h>

#include "harness/api/handles.h"

void call_return(void) {
  fesetenv(FE_DFL_ENV);
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* Of the C library, for ever. */
}

void call_begin(call_t *call, assay_error_t *error) {
  *call = (call_t){.error = error};
  fegetenv(&call->environment);
  call->locale = uselocale((locale_t)0);
  call_return();
}

void call_leave(const call_t *call) {
  uselocale(call->locale);
  fesetenv(&call->environment);
}

static int32_t answer_of(status_t status) {
  switch (status) {
    case STATUS_OK:
      return ASSAY_OK;
    case STATUS_INVALID:
      return ASSAY_INVALID;
    case STATUS_UNSUPPORTED:
      return ASSAY_UNSUPPORTED;
    case STATUS_UNDECIDED:
      return ASSAY_UNDECIDED;
    case STATUS_IO:
      break;
  }
  return ASSAY_ENVIRONMENT;
}

int32_t call_end(call_t *call, status_t status) {
  int32_t answer = status == STATUS_OK || call->answer == 0 ? answer_of(status) : call->answer;
  assay_error_t *error = call->error;
  /* A struct that is smaller than the first one ever was cannot be written to. */
  if (error != NULL && error->struct_size >= sizeof *error) {
    error->status = answer;
    error->column = status == STATUS_OK ? 0 : call->failure.column;
    const char *text = status == STATUS_OK ? "" : call->failure.text;
    g_strlcpy(error->text, text, sizeof error->text);
  }
  call_leave(call);
  return answer;
}

status_t fail_null(call_t *call, const char *name, const char *remedy) {
  return status_fail(&call->failure, STATUS_INVALID, "%s is NULL; %s", name, remedy);
}

status_t check_struct(call_t *call, const char *name, uint32_t size, size_t needed) {
  if (size >= needed) return STATUS_OK;
  return status_fail(&call->failure, STATUS_INVALID,
                     "%s.struct_size is %u, and the struct has %zu bytes; set it to sizeof(%s)",
                     name, size, needed, name);
}

void write_struct(void *out_struct, const void *from, size_t size) {
  uint32_t held;
  memcpy(&held, out_struct, sizeof held);
  memcpy((uint8_t *)out_struct + sizeof held, (const uint8_t *)from + sizeof held,
         MIN(held, size) - sizeof held);
}

uint32_t assay_api_version(void) { return ASSAY_API_VERSION; }
const char *assay_version(void) { return ASSAY_VERSION; }

bool progress_tell(progress_t *progress, double done) {
  progress->done = fmax(progress->done, done);
  const assay_question_t *asked = progress->asked;
  if (asked->progress == NULL || progress->is_cancelled) return !progress->is_cancelled;
  call_leave(progress->call);
  progress->is_cancelled = asked->progress(asked->user, progress->done) != 0;
  call_return();
  return !progress->is_cancelled;
}

bool progress_is_cancelled(void *context) {
  progress_t *progress = (progress_t *)context;
  return !progress_tell(progress, progress->done);
}
