/* SPDX-License-Identifier: Apache-2.0 */
/* What the system says of a terminal. */
#include "reports/terminal.h"

#include <glib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int terminal_width(FILE *out) {
  struct winsize size = {.ws_col = 0};
  int descriptor = fileno(out);
  if (descriptor < 0 || !isatty(descriptor)) return 0;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

char *terminal_cut(const char *text, int width) {
  if (g_utf8_strlen(text, -1) <= width) return g_strdup(text);
  g_autofree char *start = g_utf8_substring(text, 0, width - 1);
  return g_strconcat(start, "\xe2\x80\xa6", NULL);
}
