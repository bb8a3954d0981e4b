/* SPDX-License-Identifier: Apache-2.0 */
/* The memory in which a backend is called: a copy of the operands, the results between guards, and
 * a note of the call that is being made.
 *
 * It is shared with processes that are forked later.  So the note and the case outlive the process
 * in which the backend ends, and a backend that is hosted elsewhere works on the same bytes.
 *
 * Each result lies between two zones of CALL_ZONE_BYTES of a pattern, which are looked at after the
 * call; around these no page can be touched.  A write past a result changes the pattern, or ends
 * the process at once. */
#ifndef ASSAY_EXEC_TRANSPORT_CALL_MEMORY_H
#define ASSAY_EXEC_TRANSPORT_CALL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/exec/transport/outcome.h"
#include "harness/model/case.h"

enum {
  CALL_ZONE_BYTES = 8192,
  CALL_PROGRAM_BYTES_MAX = 1 << 20, /* Of a program's line in the note. */
  CALL_NO_PROGRAM = 0,              /* The number of what has none. */
};

/* What code of others is entered for: CALL(NAME, "as it is told, after what happened"). */
#define CALL_KINDS(CALL)                               \
  CALL(none, "outside of any call")                    \
  CALL(load, "when it was loaded")                     \
  CALL(query, "in assay_executor_query()")             \
  CALL(open, "in open()")                              \
  CALL(describe, "in name(), version() or hardware()") \
  CALL(promises, "in promises()")                      \
  CALL(compile, "in compile()")                        \
  CALL(implementation, "in implementation()")          \
  CALL(execute, "in execute()")                        \
  CALL(release, "in release()")                        \
  CALL(close, "in close()")                            \
  CALL(unload, "when it was unloaded")
typedef enum call_kind {
#define CALL(name, words) CALL_##name,
  CALL_KINDS(CALL)
#undef CALL
      CALL_KIND_COUNT
} call_kind_t;

/* "in execute()" */
const char *call_words(call_kind_t kind);

/* Bytes of what a program takes and gives. */
typedef struct call_sizes {
  uint32_t operand_count;
  uint32_t result_count;
  uint64_t operands[CASE_OPERANDS_MAX];
  uint64_t results[CASE_RESULTS_MAX];
} call_sizes_t;
call_sizes_t call_sizes_of(const program_t *program);

/* The sizes of all dimensions in one call of a program of which some are unknown. */
typedef struct call_shapes {
  int64_t operands[CASE_OPERANDS_MAX][TYPE_RANK_MAX];
  int64_t results[CASE_RESULTS_MAX][TYPE_RANK_MAX];
} call_shapes_t;

/* What is being done; read by another process once the writer is dead, or to see whether it still
 * moves. */
typedef struct call_note {
  volatile uint32_t kind;    /* A call_kind_t; CALL_none outside of calls. */
  volatile uint64_t entered; /* Counts calls. */
  int process;               /* Who makes them, where somebody watches over it. */
  uint32_t executor;         /* Whose backend, or whose last: executor_options_t.number. */
  bool has_data;             /* The operands are in the memory. */
  char program[CALL_PROGRAM_BYTES_MAX]; /* Its line; "" if it is longer, or there was none yet. */
} call_note_t;

typedef struct call_memory call_memory_t;
struct call_memory {
  call_note_t *note;
  uint8_t *operands;
  uint8_t *results;
  size_t open_bytes[CASE_RESULTS_MAX]; /* By call_memory_close_guards(), beside each result. */
  uint64_t noted;                      /* The program whose line the note has. */
  uint64_t programs;                   /* How many have got a number. */
};

/* NULL if there is no room.  Pages that are never touched cost nothing. */
call_memory_t *call_memory_new(void);
void call_memory_free(call_memory_t *memory); /* NULL is ignored. */

/* ---- The note: around every call into a backend. */
void call_memory_enter(call_memory_t *memory, call_kind_t kind);
void call_memory_leave(call_memory_t *memory);

/* The calls that follow open the backend of that executor, and are about no program. */
void call_memory_note_opening(call_memory_t *memory, uint32_t executor);

/* A number for a program, that no other has, for the function below. */
uint64_t call_memory_number_program(call_memory_t *memory);

/* Notes what the calls that follow are about.  Where the note has the program of that number
 * already, nothing is copied. */
void call_memory_note_program(call_memory_t *memory, uint32_t executor, uint64_t number,
                              const char *line);

/* ---- Operands and results. */

/* Copies the operands in. */
void call_memory_put_operands(call_memory_t *memory, const call_sizes_t *sizes,
                              const tensor_t *operands);

/* The first operand that is no longer what was put there, or operand_count. */
uint32_t call_memory_find_changed(const call_memory_t *memory, const call_sizes_t *sizes,
                                  const tensor_t *operands);

/* Where they are: operand or result `i`, aligned to 64 bytes and to no more. */
const uint8_t *call_memory_operand(const call_memory_t *memory, const call_sizes_t *sizes,
                                   uint32_t i);
uint8_t *call_memory_result(const call_memory_t *memory, uint32_t i);

/* Fills the results with `poison`, and the zones beside them with a pattern that depends on it. */
void call_memory_lay_results(call_memory_t *memory, const call_sizes_t *sizes, uint8_t poison);

/* The first result beside which the pattern has changed, or result_count. */
uint32_t call_memory_find_broken(const call_memory_t *memory, const call_sizes_t *sizes,
                                 uint8_t poison);

/* In the process that runs the backend: nothing but the results and their zones can be touched. */
void call_memory_close_guards(call_memory_t *memory, const call_sizes_t *sizes);

/* In a process that hosts a backend for another one: operands can only be read. */
void call_memory_protect_operands(const call_memory_t *memory);

#endif
