/* What stands behind `assay fuzz`: libFuzzer, where the compiler brings it. */
#ifndef ASSAY_CLI_FUZZ_DRIVER_H
#define ASSAY_CLI_FUZZ_DRIVER_H

#include "harness/cli/campaign.h"

typedef struct fuzz_options {
  const op_t *op;
  uint64_t runs_max; /* 0: no limit. */
  uint32_t seconds_max;
  const char *corpus; /* A folder that inputs are read from and kept in, or NULL. */
  bool isolated;      /* Hangs are caught by the executor's host. */
} fuzz_options_t;

/* Searches with a started campaign, tells what was found, closes the campaign and ends the process
 * with its exit code; returns only after a complaint. */
int fuzz_drive(campaign_t *campaign, const fuzz_options_t *options);

#endif
