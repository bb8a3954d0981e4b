/* SPDX-License-Identifier: Apache-2.0 */
/* The width of a terminal, and lines that fit it. */
#ifndef ASSAY_REPORTS_TERMINAL_H
#define ASSAY_REPORTS_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal behind `out`, or 0 if it is none. */
int terminal_width(FILE *out);

/* The text if it is at most `width` columns wide, or its beginning and an ellipsis; g_free() frees
 * it. */
char *terminal_cut(const char *text, int width);

#endif
