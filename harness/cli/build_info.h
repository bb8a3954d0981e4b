/* SPDX-License-Identifier: Apache-2.0 */
/* What this program was built from, and how.  One generated file, so that a commit rebuilds no
 * other. */
#ifndef ASSAY_CLI_BUILD_INFO_H
#define ASSAY_CLI_BUILD_INFO_H

/* "5dd1255c03d1", with "-dirty" if the tree differed from it; "unknown commit" outside a checkout.
 */
extern const char build_commit[];

/* "Clang 19.1.7, RelWithDebInfo", with the sanitizers if there are some. */
extern const char build_manner[];

#endif
