/* SPDX-License-Identifier: Apache-2.0 */
/* A transport over a table in this process: of a builtin, or of a library that transport/dso.c
 * loaded. */
#ifndef ASSAY_EXEC_TRANSPORT_TABLE_H
#define ASSAY_EXEC_TRANSPORT_TABLE_H

#include <locale.h>

#include "harness/exec/transport/environment.h"
#include "harness/exec/transport/transport.h"

/* What the table is a part of. */
typedef struct table_library {
  void *handle;
  void (*unload)(void *handle);
  bool is_quiet; /* It prints nothing, so that calls are spared the care for that: some
                  * microseconds, of the twenty that a small case takes. */
} table_library_t;

/* Opens a backend with the options text that its open() gets.  `library`, if not NULL, is unloaded
 * when the transport closes; it stays the caller's if this fails.  `memory` is borrowed: its note
 * has every call. */
status_t table_transport_open(const assay_executor_t *table, const char *options,
                              const table_library_t *library, call_memory_t *memory,
                              transport_t **out_transport, failure_t *error);

/* STATUS_IO if the table cannot be used: a wrong ABI, a short table, a missing function. */
status_t table_check(const assay_executor_t *table, failure_t *error);

/* Around every call into code of others in this process: it runs in the default floating-point
 * environment and in the locale of the process, which it may change; ours are put back.  What it
 * prints, if it `may_print`, goes to standard error, since reports of ours are on standard output.
 * call_visit_end() is true if it left another floating-point environment. */
typedef struct call_visit {
  environment_t environment;
  locale_t locale;
  int kept_stdout; /* A descriptor of it; -1: it was left alone. */
} call_visit_t;
call_visit_t call_visit_begin(call_memory_t *memory, call_kind_t kind, bool may_print);
bool call_visit_end(call_memory_t *memory, call_visit_t visit);

#endif
