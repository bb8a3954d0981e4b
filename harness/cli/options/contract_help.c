/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the help text on contracts, with the exceptions to their order computed from the table. */
#include "harness/cli/options/contract_help.h"

#include "harness/model/contract.h"

void contract_help_print(GString *out_text) {
  contract_print_help(out_text);
  g_string_append(out_text,
                  "\nContracts are ordered: a permission only adds, and backend accepts whatever "
                  "spec accepts, but for\n");
  contract_print_exceptions(out_text);
}
