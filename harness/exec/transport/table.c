/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a backend's function table in this process, with the floating-point environment and locale
 * saved and restored around every call, and tolerates tables of older ABI versions. */
#include "harness/exec/transport/table.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/exec/transport/environment.h"
#include "harness/exec/transport/program_view.h"
#include "harness/exec/transport/reason.h"

enum {
  /* The table of ABI 1, which later ones only extend. */
  TABLE_BYTES_MIN = offsetof(assay_executor_t, close) + sizeof(void *),
};

typedef struct table_transport {
  transport_t head;
  assay_executor_t table; /* What the backend does not know of is NULL. */
  void *self;
  table_library_t library;
  call_memory_t *memory; /* Borrowed. */
  arena_t arena;         /* Holds the view of one program during one call. */
} table_transport_t;

/* What compile() made. */
typedef struct table_handle {
  void *handle;
  char *implementation;             /* Of the last call of implementation(), made plain. */
  bool compile_changed_environment; /* Told with every execution. */
} table_handle_t;

/* The stream is one for all libraries of a process: what stands in its buffer is ours before a
 * call, and theirs behind it. */
static int divert_stdout(void) {
  fflush(stdout);
  int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
  return kept;
}

static void restore_stdout(int kept) {
  if (kept < 0) return;
  fflush(stdout);
  dup2(kept, STDOUT_FILENO);
  close(kept);
}

call_visit_t call_visit_begin(call_memory_t *memory, call_kind_t kind, bool may_print) {
  call_visit_t visit = {.environment = environment_get(),
                        .locale = uselocale(LC_GLOBAL_LOCALE),
                        .kept_stdout = may_print ? divert_stdout() : -1};
  environment_set(environment_default());
  call_memory_enter(memory, kind);
  return visit;
}

bool call_visit_end(call_memory_t *memory, call_visit_t visit) {
  call_memory_leave(memory);
  bool changed = environment_get().control != environment_default().control;
  environment_set(visit.environment);
  uselocale(visit.locale);
  restore_stdout(visit.kept_stdout);
  return changed;
}

static bool may_print(const table_library_t *library) {
  return library->handle != NULL && !library->is_quiet;
}

/* Enters the backend: returns what to give to leave(). */
static call_visit_t enter(const table_transport_t *table, call_kind_t kind) {
  return call_visit_begin(table->memory, kind, may_print(&table->library));
}

/* True if the backend left another environment than it was called in. */
static bool leave(const table_transport_t *table, call_visit_t visit) {
  return call_visit_end(table->memory, visit);
}

static executor_outcome_t outcome_from_code(int32_t code, assay_reason_t *reason) {
  reason_clean(reason);
  switch (code) {
    case ASSAY_EXECUTOR_OK:
      return EXECUTOR_OK;
    case ASSAY_EXECUTOR_UNSUPPORTED:
      reason_default(reason, "unsupported, it says, without a reason");
      return EXECUTOR_REFUSED;
    case ASSAY_EXECUTOR_INVALID:
      reason_default(reason, "invalid, it says, without a reason");
      return EXECUTOR_REJECTED;
    case ASSAY_EXECUTOR_FAILED:
      reason_default(reason, "failed, it says, without a reason");
      return EXECUTOR_FAILED;
    default:
      snprintf(reason->text, reason->text_bytes, "answered %d, which is no answer of the ABI",
               code);
      return EXECUTOR_GARBAGE;
  }
}

static executor_promise_t table_promises(transport_t *transport, const program_t *program) {
  table_transport_t *table = (table_transport_t *)transport;
  if (table->table.promises == NULL) return EXECUTOR_PROMISE_NONE;
  arena_reset(&table->arena);
  const assay_program_t *view = program_view(program, &table->arena);
  call_visit_t visit = enter(table, CALL_promises);
  int32_t promised = table->table.promises(table->self, view);
  leave(table, visit);
  return promised != 0 ? EXECUTOR_PROMISE_YES : EXECUTOR_PROMISE_NO;
}

static executor_outcome_t table_compile(transport_t *transport, const program_t *program,
                                        void **out_handle, assay_reason_t *reason) {
  table_transport_t *table = (table_transport_t *)transport;
  arena_reset(&table->arena);
  const assay_program_t *view = program_view(program, &table->arena);
  void *handle = NULL;
  reason->text[0] = '\0';
  call_visit_t visit = enter(table, CALL_compile);
  int32_t code = table->table.compile(table->self, view, &handle, reason);
  bool changed = leave(table, visit);
  executor_outcome_t outcome = outcome_from_code(code, reason);
  if (outcome != EXECUTOR_OK) return outcome;
  table_handle_t *made = g_new(table_handle_t, 1);
  *made = (table_handle_t){.handle = handle, .compile_changed_environment = changed};
  *out_handle = made;
  return EXECUTOR_OK;
}

static int32_t execute_sized(const table_transport_t *table, void *handle,
                             const transport_call_t *call, assay_reason_t *reason) {
  const int64_t *operands[CASE_OPERANDS_MAX], *results[CASE_RESULTS_MAX];
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) operands[i] = call->shapes->operands[i];
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) results[i] = call->shapes->results[i];
  const assay_sizes_t sizes = {operands, results};
  return table->table.execute_sized(table->self, handle, &sizes, call->operands, call->results,
                                    reason);
}

static executor_outcome_t table_execute(transport_t *transport, void *handle,
                                        const transport_call_t *call, bool *out_changed_environment,
                                        assay_reason_t *reason) {
  table_transport_t *table = (table_transport_t *)transport;
  const table_handle_t *compiled = handle;
  reason->text[0] = '\0';
  call_visit_t visit = enter(table, CALL_execute);
  int32_t code = call->shapes == NULL ? table->table.execute(table->self, compiled->handle,
                                                             call->operands, call->results, reason)
                                      : execute_sized(table, compiled->handle, call, reason);
  bool changed = leave(table, visit);
  *out_changed_environment = changed || compiled->compile_changed_environment;
  return code == ASSAY_EXECUTOR_OK ? EXECUTOR_OK : outcome_from_code(code, reason);
}

static const char *table_implementation(transport_t *transport, void *handle) {
  table_transport_t *table = (table_transport_t *)transport;
  table_handle_t *compiled = handle;
  if (table->table.implementation == NULL) return "";
  call_visit_t visit = enter(table, CALL_implementation);
  const char *text = table->table.implementation(table->self, compiled->handle);
  leave(table, visit);
  g_free(compiled->implementation);
  compiled->implementation = plain_text(text == NULL ? "" : text);
  return compiled->implementation;
}

/* Whatever goes wrong below ends the process: then another one tells of it. */
static executor_outcome_t table_release(transport_t *transport, void *handle,
                                        assay_reason_t *reason) {
  table_transport_t *table = (table_transport_t *)transport;
  table_handle_t *compiled = handle;
  call_visit_t visit = enter(table, CALL_release);
  table->table.release(table->self, compiled->handle);
  leave(table, visit);
  g_free(compiled->implementation);
  g_free(compiled);
  (void)reason;
  return EXECUTOR_OK;
}

static executor_outcome_t table_close(transport_t *transport, assay_reason_t *reason) {
  table_transport_t *table = (table_transport_t *)transport;
  call_visit_t visit = enter(table, CALL_close);
  table->table.close(table->self);
  leave(table, visit);
  if (table->library.handle != NULL) {
    visit = enter(table, CALL_unload);
    table->library.unload(table->library.handle);
    leave(table, visit);
  }
  arena_deinit(&table->arena);
  g_free(table->head.version);
  g_free(table->head.hardware);
  g_free(table);
  (void)reason;
  return EXECUTOR_OK;
}

static const transport_functions_t table_functions = {
    .promises = table_promises,
    .compile = table_compile,
    .execute = table_execute,
    .implementation = table_implementation,
    .release = table_release,
    .close = table_close,
};

status_t table_check(const assay_executor_t *table, failure_t *error) {
  /* ABI 1 is the first, and later ones append only. */
  if (table->abi == 0 || table->abi > ASSAY_EXECUTOR_ABI) {
    return status_fail(
        error, STATUS_IO,
        "it is built for executor ABI %u, this Assay speaks 1 to %u: rebuild it with "
        "this harness/exec/assay_executor.h",
        table->abi, ASSAY_EXECUTOR_ABI);
  }
  if (table->struct_size < TABLE_BYTES_MIN) {
    return status_fail(error, STATUS_IO,
                       "its table has %u bytes where ABI %u has %zu: set struct_size to "
                       "sizeof(assay_executor_t)",
                       table->struct_size, table->abi, (size_t)TABLE_BYTES_MIN);
  }
  const char *missing = table->open == NULL       ? "open"
                        : table->name == NULL     ? "name"
                        : table->version == NULL  ? "version"
                        : table->hardware == NULL ? "hardware"
                        : table->compile == NULL  ? "compile"
                        : table->execute == NULL  ? "execute"
                        : table->release == NULL  ? "release"
                        : table->close == NULL    ? "close"
                                                  : NULL;
  if (missing == NULL) return STATUS_OK;
  return status_fail(error, STATUS_IO, "its table has no %s()", missing);
}

static status_t status_from_open(executor_outcome_t outcome) {
  switch (outcome) {
    case EXECUTOR_OK:
      return STATUS_OK;
    case EXECUTOR_REFUSED:
      return STATUS_UNSUPPORTED;
    case EXECUTOR_REJECTED:
      return STATUS_INVALID;
    case EXECUTOR_FAILED:
    case EXECUTOR_CRASHED:
    case EXECUTOR_ENDED:
    case EXECUTOR_TIMED_OUT:
    case EXECUTOR_GARBAGE:
    default:
      return STATUS_IO;
  }
}

/* "tester 1.5", made plain; the caller frees it. */
static char *describe(const char *first, const char *second) {
  g_autofree char *text = g_strdup_printf("%s%s%s", first == NULL ? "" : first,
                                          second == NULL ? "" : " ", second == NULL ? "" : second);
  return plain_text(text);
}

static void read_descriptions(table_transport_t *table) {
  call_visit_t visit = enter(table, CALL_describe);
  const char *name = table->table.name(table->self);
  const char *version = table->table.version(table->self);
  const char *hardware = table->table.hardware(table->self);
  leave(table, visit);
  table->head.version = describe(name, version == NULL ? "" : version);
  table->head.hardware = describe(hardware, NULL);
}

status_t table_transport_open(const assay_executor_t *table, const char *options,
                              const table_library_t *library, call_memory_t *memory,
                              transport_t **out_transport, failure_t *error) {
  STATUS_TRY(table_check(table, error));
  char text[ERROR_TEXT_BYTES / 2] = "";
  assay_reason_t reason = {.text = text, .text_bytes = sizeof text};
  void *self = NULL;
  call_visit_t visit = call_visit_begin(memory, CALL_open, library != NULL && may_print(library));
  int32_t code = table->open(options, &self, &reason);
  bool changed = call_visit_end(memory, visit);
  executor_outcome_t outcome = outcome_from_code(code, &reason);
  if (outcome != EXECUTOR_OK) {
    return status_fail(error, status_from_open(outcome), "it does not open: %s", text);
  }
  table_transport_t *made = g_new0(table_transport_t, 1);
  *made = (table_transport_t){
      .head = {.functions = &table_functions, .load_changed_environment = changed},
      .self = self,
      .memory = memory};
  if (library != NULL) made->library = *library;
  memcpy(&made->table, table, MIN(table->struct_size, sizeof made->table));
  made->head.validates = made->table.validates != 0;
  made->head.compiling_is_dear = made->table.compiling_is_dear != 0;
  made->head.takes_dynamic = made->table.execute_sized != NULL;
  arena_init(&made->arena);
  read_descriptions(made);
  *out_transport = &made->head;
  return STATUS_OK;
}
