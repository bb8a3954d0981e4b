/* SPDX-License-Identifier: Apache-2.0 */
/* The way to a backend: a table of functions in this process (transport/table.h), or the same table
 * hosted by a child process (isolate.h), or a worker (process/process.h).  exec/handle.c knows only
 * this interface.
 *
 * A transport runs the backend in the default floating-point environment and in the locale of the
 * process, and puts the caller's back. */
#ifndef ASSAY_EXEC_TRANSPORT_TRANSPORT_H
#define ASSAY_EXEC_TRANSPORT_TRANSPORT_H

#include "harness/exec/assay_executor.h"
#include "harness/exec/transport/call_memory.h"
#include "harness/exec/transport/outcome.h"

typedef struct transport transport_t;

/* Operands, results and their sizes in one execution. */
typedef struct transport_call {
  const void *const *operands;
  void *const *results;
  const call_sizes_t *sizes;
  const call_shapes_t *shapes; /* NULL unless sizes of the program were unknown to compile(). */
} transport_call_t;

/* All but EXECUTOR_OK write one line into `reason`. */
typedef struct transport_functions {
  executor_promise_t (*promises)(transport_t *transport, const program_t *program);

  /* On EXECUTOR_OK writes *out_handle. */
  executor_outcome_t (*compile)(transport_t *transport, const program_t *program, void **out_handle,
                                assay_reason_t *reason);
  executor_outcome_t (*execute)(transport_t *transport, void *handle, const transport_call_t *call,
                                bool *out_changed_environment, assay_reason_t *reason);

  /* "" if the backend does not tell; valid until release(). */
  const char *(*implementation)(transport_t *transport, void *handle);

  /* Both free what they are about, whatever they return. */
  executor_outcome_t (*release)(transport_t *transport, void *handle, assay_reason_t *reason);
  executor_outcome_t (*close)(transport_t *transport, assay_reason_t *reason);
} transport_functions_t;

/* The head of every transport. */
struct transport {
  const transport_functions_t *functions;
  char *version; /* Owned: "NAME VERSION", as the backend says, made plain (plain_text.h). */
  char *hardware;
  bool load_changed_environment;
  bool validates;         /* The backend declares that it checks programs. */
  bool compiling_is_dear; /* The backend declares it. */
  bool takes_dynamic;     /* Likewise: compile() takes programs with sizes that are unknown. */
  bool is_apart;          /* The backend is in another process: it cannot write into operands. */
};

#endif
