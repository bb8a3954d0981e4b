/* The way to a backend: a table of functions in this process (table_transport.h), or the same table
 * hosted by a child process (isolate.h).  executor.c knows only this interface.
 *
 * A transport runs the backend in the default floating-point environment and puts the caller's
 * back. */
#ifndef ASSAY_EXEC_TRANSPORT_H
#define ASSAY_EXEC_TRANSPORT_H

#include "harness/exec/executor.h"

typedef struct transport transport_t;

/* Operands and results of one execution.  Results lie in what result_memory() returned last. */
typedef struct transport_call {
  const void *const *operands;
  void *const *results;
} transport_call_t;

typedef struct transport_functions {
  executor_promise_t (*promises)(transport_t *transport, const program_t *program);

  /* On EXECUTOR_OK writes *out_handle, else one line into `reason`. */
  executor_outcome_t (*compile)(transport_t *transport, const program_t *program, void **out_handle,
                                assay_reason_t *reason);
  executor_outcome_t (*execute)(transport_t *transport, void *handle, const transport_call_t *call,
                                bool *out_changed_environment, assay_reason_t *reason);

  /* "" if the backend does not tell; valid until release(). */
  const char *(*implementation)(transport_t *transport, void *handle);
  void (*release)(transport_t *transport, void *handle);

  /* Memory that the backend can write, aligned to 64 bytes, valid until the next call of this. */
  uint8_t *(*result_memory)(transport_t *transport, size_t bytes);

  void (*close)(transport_t *transport);
} transport_functions_t;

/* The head of every transport. */
struct transport {
  const transport_functions_t *functions;
  char *version; /* Owned: "NAME VERSION", as the backend says. */
  char *hardware;
  bool load_changed_environment;
  bool validates;              /* The backend declares that it checks programs. */
  bool operands_are_protected; /* The backend cannot write into operands, however wild. */
};

#endif
