/* SPDX-License-Identifier: Apache-2.0 */
/* What the two sides of an isolated backend say to each other, over a stream socket between two
 * halves of the same program: host structs, each followed by `text_bytes` bytes of text.
 *
 *   the child starts             ->  reply: status of opening; text "VERSION\nHARDWARE" or the
 * error request, text a program line ->  reply: outcome; text the reason, or the implementation's
 * name
 *
 * Operands and results are in memory that both share (call_memory.h), as is the note of the call
 * that the child is in. */
#ifndef ASSAY_EXEC_ISOLATE_PROTOCOL_H
#define ASSAY_EXEC_ISOLATE_PROTOCOL_H

#include <stdint.h>

#include "harness/exec/transport/call_memory.h"

enum {
  ISOLATE_MAGIC = 0x41737361, /* Both sides start every message with it: noise does not. */
  ISOLATE_REPLY_TEXT_MAX = 4096,
};

typedef enum isolate_verb {
  ISOLATE_PROMISES,
  ISOLATE_COMPILE,
  ISOLATE_EXECUTE,
  ISOLATE_RELEASE,
  ISOLATE_CLOSE, /* The backend, and the child after its reply. */
} isolate_verb_t;

typedef struct isolate_request {
  uint32_t magic;
  uint32_t verb;
  uint64_t text_bytes; /* The program line of PROMISES and COMPILE. */
  uint64_t handle;     /* Of EXECUTE and RELEASE: as COMPILE replied. */
  call_sizes_t sizes;  /* Of EXECUTE, */
  uint64_t has_shapes; /* nonzero if sizes were unknown to COMPILE: then these are all. */
  call_shapes_t shapes;
} isolate_request_t;

typedef struct isolate_reply {
  uint32_t magic;
  uint32_t answer; /* An executor_outcome_t; of the start a status_t; of PROMISES its answer. */
  uint32_t changed_environment; /* Nonzero if so: by the start or by EXECUTE. */
  uint32_t text_bytes;          /* At most ISOLATE_REPLY_TEXT_MAX. */
  uint64_t handle;              /* Of COMPILE. */
  uint32_t validates;           /* Of the start: nonzero if the backend declares it. */
  uint32_t compiling_is_dear;   /* Likewise. */
  uint64_t takes_dynamic;       /* Likewise. */
} isolate_reply_t;

#endif
