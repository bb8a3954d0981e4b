/* SPDX-License-Identifier: Apache-2.0 */
/* Text in HTML and XML: nothing that a database holds can become a tag, end an attribute or make a
 * document invalid. */
#ifndef ASSAY_REPORTS_HTML_MARKUP_H
#define ASSAY_REPORTS_HTML_MARKUP_H

#include <glib.h>

/* As g_string_append_printf(), but what %s stands for is escaped, for the inside of an element or
 * of a quoted attribute.  Control characters, which XML 1.0 forbids (section 2.2), are spelled
 * "\x1b"; newlines and tabs stay. */
void markup_printf(GString *out_markup, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
