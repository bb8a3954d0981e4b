/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: they hold their style and their script, load nothing and may load nothing.  That of a
 * report is a template (page/report.html), the script that fills it in, and the document that
 * `assay report --format json` prints. */
#include <stdlib.h>
#include <string.h>

#include "reports/html/html.h"
#include "reports/overview/report_overview.h"

static size_t count_of(const GString *text, const char *part) {
  size_t count = 0;
  for (const char *at = strstr(text->str, part); at != NULL; at = strstr(at + 1, part)) count++;
  return count;
}

/* What a page's own script must find in it; text that became markup would change the counts. */
static char *promise(const GString *body) {
  return g_strdup_printf("section=%zu table=%zu tr=%zu", count_of(body, "<section"),
                         count_of(body, "<table"), count_of(body, "<tr>"));
}

static void append_head(const char *title, const char *promised, GString *page) {
  g_string_append(page, "<!DOCTYPE html>\n");
  markup_printf(page, "<html lang=\"en\" data-promised=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
                promised);
  g_string_append(page,
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n");
  markup_printf(page, "<title>%s</title>\n", title);
  g_string_append_printf(page, "<style>\n%s</style>\n<script>\n%s</script>\n", html_style(),
                         html_script());
}

void html_write_page(const char *title, const GString *body, FILE *out) {
  g_autofree char *promised = promise(body);
  GString *page = g_string_new(NULL);
  append_head(title, promised, page);
  g_string_append(page, "</head>\n<body>\n");
  g_string_append_len(page, body->str, (gssize)body->len);
  g_string_append(page, "</body>\n</html>\n");
  fwrite(page->str, 1, page->len, out);
  g_string_free(page, TRUE);
}

/* What one of the writers prints, owned by the caller. */
static char *print_to_text(const overview_t *overview,
                           void (*print)(const overview_t *overview, FILE *out)) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  print(overview, out);
  fclose(out);
  return text;
}

/* JSON in a script element, which only "</script" or "<!--" could end: a "<" can only stand in a
 * text. */
static void append_document(const char *document, GString *page) {
  g_string_append(page, "<script type=\"application/json\" id=\"report\">");
  for (const char *rest = document; *rest != '\0';) {
    size_t size = strcspn(rest, "<");
    g_string_append_len(page, rest, (gssize)size);
    rest += size;
    if (*rest == '<') {
      g_string_append(page, "\\u003c");
      rest++;
    }
  }
  g_string_append(page, "</script>\n");
}

/* The template, with the report in plain text for those who run no scripts. */
static void append_body(const char *plain, GString *page) {
  static const char place[] = "{{plain}}";
  const char *body = html_report_body();
  const char *at = strstr(body, place);
  g_string_append_len(page, body, at - body);
  markup_printf(page, "%s", plain);
  g_string_append(page, at + strlen(place));
}

void report_print_html(const overview_t *overview, FILE *out) {
  g_autofree char *title = g_strdup_printf("Assay report: %s", overview->database);
  g_autofree char *promised = g_strdup_printf("causes=%u", overview->groups->len);
  char *plain = print_to_text(overview, report_print_text);
  char *document = print_to_text(overview, report_print_page_json);
  GString *page = g_string_new(NULL);
  append_head(title, promised, page);
  g_string_append(page, "</head>\n<body>\n");
  append_body(plain, page);
  append_document(document, page);
  g_string_append_printf(page, "<script>\n%s</script>\n</body>\n</html>\n", html_report_script());
  fwrite(page->str, 1, page->len, out);
  g_string_free(page, TRUE);
  free(document);
  free(plain);
}
