/* Compiled programs, and refused ones, by program hash: the most recently used are kept. */
#ifndef ASSAY_EXEC_PROGRAM_CACHE_H
#define ASSAY_EXEC_PROGRAM_CACHE_H

#include "harness/exec/transport.h"

enum {
  PROGRAM_CACHE_MAX = 256,
  REASON_BYTES = 192, /* As in execution_t. */
  /* Bytes beside every result that nobody may write.  Two cache lines catch a kernel that stores
   * one full vector too many, on either side. */
  GUARD_BYTES = 128,
};

/* A program that the backend has compiled or refused for good. */
struct executor_program {
  hash_text_t key;
  executor_outcome_t outcome; /* EXECUTOR_OK, EXECUTOR_REFUSED or EXECUTOR_REJECTED. */
  char reason[REASON_BYTES];
  void *handle; /* The transport's, if EXECUTOR_OK. */
  bool promise_known;
  executor_promise_t promise;
  uint32_t operand_count;
  uint32_t result_count;
  size_t operand_bytes[CASE_OPERANDS_MAX];
  /* Results lie one after the other between guards, the first byte of each aligned to 64. */
  size_t result_bytes[CASE_RESULTS_MAX];
  size_t result_offset[CASE_RESULTS_MAX];
  size_t memory_bytes; /* Results and guards. */
  uint64_t executions;
};

typedef struct program_cache program_cache_t;

/* Releases handles through `transport`, which must outlive the cache. */
program_cache_t *program_cache_make(transport_t *transport);
void program_cache_free(program_cache_t *cache);

/* The program of that hash, now the most recently used; or NULL. */
executor_program_t *program_cache_find(program_cache_t *cache, const hash_text_t *key);

/* A new entry, with the layout of its results; may drop the least recently used one. */
executor_program_t *program_cache_add(program_cache_t *cache, const hash_text_t *key,
                                      const program_t *program);

#endif
