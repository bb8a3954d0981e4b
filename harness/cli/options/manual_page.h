/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page assay(1), as roff, made from the tables of verbs and of their options. */
#ifndef ASSAY_CLI_OPTIONS_MANUAL_PAGE_H
#define ASSAY_CLI_OPTIONS_MANUAL_PAGE_H

#include <glib.h>

/* Appends the page. */
void manual_page_print(GString *out_text);

#endif
