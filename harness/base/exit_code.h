/* SPDX-License-Identifier: Apache-2.0 */
/* Exit codes of `assay`; scripts rely on them. */
#ifndef ASSAY_BASE_EXIT_CODE_H
#define ASSAY_BASE_EXIT_CODE_H

enum {
  EXIT_CODE_CLEAN = 0,
  EXIT_CODE_DIVERGES = 1,
  EXIT_CODE_USAGE = 2,  /* Bad usage or input: somebody named what is not there, too. */
  EXIT_CODE_FAILED = 3, /* An executor or the oracle failed, or the environment did. */
};

#endif
