/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor says to a pair of an op and element types. */
#ifndef ASSAY_RUN_CAPABILITY_CAPABILITY_ROW_H
#define ASSAY_RUN_CAPABILITY_CAPABILITY_ROW_H

typedef enum capability_state {
  CAPABILITY_UNKNOWN, /* Nobody asked. */
  CAPABILITY_TAKEN,   /* It compiled one of the programs. */
  CAPABILITY_REFUSED, /* It says of all of them that it does not support them. */
  CAPABILITY_FAILED,  /* It failed, crashed, hung, called one invalid, or broke what it promises. */
} capability_state_t;

typedef struct capability_row {
  const char *op; /* Borrowed from whose it is, like all texts. */
  const char *types;
  capability_state_t state;
  const char *reason; /* Of what is not taken: what the executor said last. */
} capability_row_t;

#endif
