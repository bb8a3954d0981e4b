/* SPDX-License-Identifier: Apache-2.0 */
/* Test fixture: a shared object that loads but exports no query function, which must be refused
 * with that reason. */
int assay_is_not_asked_here(void);

int assay_is_not_asked_here(void) { return 0; }
