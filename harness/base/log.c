/* SPDX-License-Identifier: Apache-2.0 */
/* Turns areas of the log on: GLib's own switch for messages of debugging is G_MESSAGES_DEBUG. */
#include "harness/base/log.h"

#include <string.h>

static const char *const DOMAINS[] = {LOG_CAMPAIGN, LOG_EXEC, LOG_ORACLE, LOG_STORE};

/* Appends the domain of an area; false if there is no such area. */
static bool add_domain(const char *area, GString *domains) {
  for (size_t i = 0; i < G_N_ELEMENTS(DOMAINS); i++) {
    if (strcmp(DOMAINS[i] + strlen("assay-"), area) != 0 && strcmp(area, "debug") != 0) continue;
    g_string_append_printf(domains, "%s ", DOMAINS[i]);
  }
  return domains->len > 0;
}

status_t log_start(const char *wanted, failure_t *error) {
  if (wanted == NULL || *wanted == '\0') return STATUS_OK;
  g_autoptr(GString) all = g_string_new(NULL);
  g_auto(GStrv) areas = g_strsplit(wanted, ",", -1);
  for (char **area = areas; *area != NULL; area++) {
    g_autoptr(GString) domains = g_string_new(NULL);
    if (!add_domain(*area, domains)) {
      return status_fail(error, STATUS_INVALID,
                         "ASSAY_LOG: unknown word \"%.40s\"; write debug, or some of "
                         "campaign,exec,oracle,store",
                         *area);
    }
    g_string_append(all, domains->str);
  }
  g_log_writer_default_set_use_stderr(TRUE); /* Standard output is data. */
  g_setenv("G_MESSAGES_DEBUG", all->str, TRUE);
  return STATUS_OK;
}
