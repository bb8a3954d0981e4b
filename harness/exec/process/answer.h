/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what a worker says (harness/exec/workers/worker.md): pure functions over bytes that may
 * hold anything. */
#ifndef ASSAY_EXEC_PROCESS_ANSWER_H
#define ASSAY_EXEC_PROCESS_ANSWER_H

#include "harness/base/text.h"
#include "harness/model/case.h"

enum {
  WORKER_PROTOCOL = 1,
  ANSWER_LINE_BYTES_MAX = 4096,
  GREETING_BYTES_MAX = 16 * ANSWER_LINE_BYTES_MAX,
  GREETING_TEXT_BYTES = 160,
};

/* What came of reading the bytes that are there so far. */
typedef enum answer_state {
  ANSWER_COMPLETE,
  ANSWER_INCOMPLETE, /* They may become an answer. */
  ANSWER_MALFORMED,  /* They cannot become one. */
} answer_state_t;

typedef struct greeting {
  char name[GREETING_TEXT_BYTES];
  char version[GREETING_TEXT_BYTES];
  char hardware[GREETING_TEXT_BYTES];
  bool is_hex;
  bool takes_mlir;
  bool declares_promises;
  bool validates;
  bool compiling_is_dear;
  bool takes_modules;
  bool takes_dynamic;
  bool wants_sized_modules; /* Of what a file declares, with each execution. */
  bool writes_scripts;      /* Answers `script`: script.h. */
  str_t failure;            /* Why it cannot serve, in the bytes read; empty if it can. */
} greeting_t;

/* Reads a whole greeting; *out_used are the bytes that it took.  `error` tells what is wrong with
 * garbage. */
answer_state_t greeting_read(str_t bytes, greeting_t *out_greeting, size_t *out_used,
                             failure_t *error);

typedef enum answer_word {
  ANSWER_OK,
  ANSWER_UNSUPPORTED,
  ANSWER_INVALID,
  ANSWER_FAILED,
  ANSWER_YES,
  ANSWER_NO,
} answer_word_t;

typedef struct answer {
  answer_word_t word;
  str_t rest; /* Of the line, in the bytes read. */
} answer_t;

/* Reads one line of line_bytes_max bytes at most, its newline counted. */
answer_state_t answer_read(str_t bytes, size_t line_bytes_max, answer_t *out_answer,
                           size_t *out_used, failure_t *error);

/* Checks that the rest of an ANSWER_OK announces exactly `expected` bytes. */
status_t answer_check_bytes(const answer_t *answer, size_t expected, failure_t *error);

/* Reads the results of an ANSWER_OK as hex into `results`. */
status_t answer_read_hex(const answer_t *answer, const type_t *types, uint32_t count,
                         void *const *results, failure_t *error);

/* An upper bound of the bytes of such a line. */
size_t answer_hex_line_bytes_max(const type_t *types, uint32_t count);

#endif
