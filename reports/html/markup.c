/* SPDX-License-Identifier: Apache-2.0 */
/* Formats text with all arguments escaped for HTML and XML, and replaces characters that XML
 * forbids even as references. */
#include "reports/html/markup.h"

#include <stdarg.h>
#include <string.h>

/* GLib escapes a control character as "&#x1b;", which XML 1.0 forbids all the same; no other "&#x"
 * can be there, since each '&' of a text is escaped. */
void markup_printf(GString *out_markup, const char *format, ...) {
  static const char reference[] = "&#x";
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_markup_vprintf_escaped(format, arguments);
  va_end(arguments);
  for (const char *p = text; *p != '\0'; p++) {
    if (strncmp(p, reference, strlen(reference)) == 0) {
      g_string_append(out_markup, "\\x");
      p += strlen(reference);
      for (; *p != ';'; p++) g_string_append_c(out_markup, *p);
    } else if (strncmp(p, "\xef\xbf\xbe", 3) == 0 || strncmp(p, "\xef\xbf\xbf", 3) == 0) {
      g_string_append(out_markup, "\xef\xbf\xbd"); /* U+FFFE and U+FFFF are no characters. */
      p += 2;
    } else {
      g_string_append_c(out_markup, *p);
    }
  }
}
