/* SPDX-License-Identifier: Apache-2.0 */
/* What `assay help`, `assay help contracts` and the manual page say of contracts. */
#ifndef ASSAY_CLI_OPTIONS_CONTRACT_HELP_H
#define ASSAY_CLI_OPTIONS_CONTRACT_HELP_H

#include <glib.h>

/* All permissions, how contracts are ordered, and where they are not. */
void contract_help_print(GString *out_text);

#endif
