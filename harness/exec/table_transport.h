/* A transport over a table in this process: of a builtin, or of a library that dso_transport.c
 * loaded. */
#ifndef ASSAY_EXEC_TABLE_TRANSPORT_H
#define ASSAY_EXEC_TABLE_TRANSPORT_H

#include "harness/exec/transport.h"

/* Opens a backend with the options text that its open() gets.  `library`, if not NULL, is handed to
 * `unload` when the transport closes; it stays the caller's if this fails. */
status_t table_transport_open(const assay_executor_t *table, const char *options, void *library,
                              void (*unload)(void *library), transport_t **out_transport,
                              failure_t *error);

/* STATUS_IO if the table cannot be used: a wrong ABI, a short table, a missing function. */
status_t table_check(const assay_executor_t *table, failure_t *error);

#endif
