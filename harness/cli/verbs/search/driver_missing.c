/* SPDX-License-Identifier: Apache-2.0 */
/* For compilers without libFuzzer. */
#include "harness/cli/verbs/search/driver.h"

int fuzz_drive(task_t *task, const fuzz_options_t *options) {
  (void)options;
  complain(
      "this program was built without libFuzzer; build it with clang (preset release), or use "
      "`assay run`, which draws cases at random");
  return task_close(task, EXIT_CODE_USAGE);
}
