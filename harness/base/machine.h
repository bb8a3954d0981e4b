/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, in the system's own words. */
#ifndef ASSAY_BASE_MACHINE_H
#define ASSAY_BASE_MACHINE_H

typedef struct machine {
  char processor[128];   /* The model: "AMD EPYC 9B14"; "" if the system does not tell. */
  char architecture[64]; /* As `uname -m` has it: "x86_64"; "" likewise. */
} machine_t;

machine_t machine_of(void);

#endif
