/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled programs, and refused ones, by program hash: the most recently used are kept. */
#ifndef ASSAY_EXEC_PROGRAM_CACHE_H
#define ASSAY_EXEC_PROGRAM_CACHE_H

#include "harness/exec/executor.h"
#include "harness/exec/transport/transport.h"

enum {
  PROGRAM_CACHE_MAX = 256,
  REASON_BYTES = 192, /* As in execution_t. */
};

/* A program that the backend has compiled or refused for good. */
struct executor_program {
  hash_text_t key;
  executor_outcome_t outcome; /* EXECUTOR_OK, EXECUTOR_REFUSED or EXECUTOR_REJECTED. */
  char reason[REASON_BYTES];
  void *handle; /* The transport's, if EXECUTOR_OK. */
  bool promise_known;
  executor_promise_t promise;
  char *line;         /* Owned. */
  uint64_t number;    /* In the note of calls. */
  call_sizes_t sizes; /* Those of every call, unless is_dynamic. */
  bool is_dynamic;    /* `line` has the sizes that it was compiled with at first. */
};

typedef struct program_cache program_cache_t;

/* What a cache works with, all borrowed and outliving it. */
typedef struct program_cache_context {
  transport_t *transport;          /* Releases handles. */
  call_memory_t *memory;           /* Notes that it does, */
  uint32_t executor;               /* for this one. */
  executor_aftermath_t *aftermath; /* What goes wrong then, if nothing is there yet. */
} program_cache_context_t;

program_cache_t *program_cache_make(const program_cache_context_t *context);
void program_cache_free(program_cache_t *cache);

/* The program of that hash, now the most recently used; or NULL. */
executor_program_t *program_cache_find(program_cache_t *cache, const hash_text_t *key);

/* A new entry, which takes `line` over; may drop the least recently used one. */
executor_program_t *program_cache_add(program_cache_t *cache, const hash_text_t *key,
                                      const program_t *program, char *line, uint64_t number);

#endif
