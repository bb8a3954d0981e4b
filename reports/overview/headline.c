/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences that a report begins with. */
#include <string.h>

#include "harness/store/severity/severity.h"
#include "reports/overview/overview.h"

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static bool is_new(const overview_group_t *group) { return group->new_count == group->count; }

/* Whether corpus/known, or a file of the user's, explains it. */
static bool is_explained(const overview_group_t *group) {
  return g_str_has_prefix(group->hypothesis, "known ");
}

/* The gravest root cause that is new, or of those the gravest that nobody has explained; NULL if
 * there is none. */
static const overview_group_t *find_gravest(const overview_t *overview, bool is_unexplained) {
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    if (is_new(group) && !(is_unexplained && is_explained(group))) return group;
  }
  return NULL;
}

static void append_gravest(const overview_t *overview, const overview_group_t *group, bool is_one,
                           GString *out_text) {
  size_t index = overview_group_example(overview, group);
  overview_finding_t finding = overview_finding(overview, index);
  g_autofree char *who = overview_executor_words(overview, index);
  g_string_append_printf(out_text, "%s %s (%s, %s)", is_one ? ":" : ", the gravest:",
                         severity_words(severity_find(finding.severity)), who, finding.op);
}

/* Of the new root causes: how many are in a file of known causes, if any is. */
static void append_explained(size_t explained, size_t fresh, GString *out_text) {
  if (explained == 0) return;
  if (explained == fresh) {
    g_string_append_printf(out_text, ", %s known fault%s", fresh == 1 ? "a" : "all of them",
                           plural(fresh));
  } else {
    g_string_append_printf(out_text, ", %zu of them%s known fault%s", explained,
                           explained == 1 ? " a" : "", plural(explained));
  }
}

static void append_news(const overview_t *overview, const char *campaign, GString *out_text) {
  size_t fresh = 0, explained = 0, grown = 0, more = 0;
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    bool is_fresh = is_new(group);
    fresh += is_fresh;
    explained += is_fresh && is_explained(group);
    grown += !is_fresh && group->new_count > 0;
    more += is_fresh ? 0 : group->new_count;
  }
  g_string_append(out_text, campaign);
  if (fresh > 0) {
    g_string_append_printf(out_text, " found %zu new root cause%s", fresh, plural(fresh));
    append_explained(explained, fresh, out_text);
    append_gravest(overview, find_gravest(overview, false), fresh == 1, out_text);
  } else {
    g_string_append(out_text, " found no new root cause");
  }
  if (grown > 0) {
    g_string_append_printf(out_text, ", and %zu new finding%s of %zu known one%s", more,
                           plural(more), grown, plural(grown));
  }
  g_string_append_c(out_text, '.');
}

/* The one to look at first, where the gravest of all is explained already. */
static void append_unexplained(const overview_t *overview, GString *out_text) {
  const overview_group_t *group = find_gravest(overview, true);
  if (group == NULL || group == find_gravest(overview, false)) return;
  g_string_append(out_text, "The gravest that nobody has explained");
  append_gravest(overview, group, true, out_text);
  g_string_append(out_text, ". ");
}

static void append_known(const overview_t *overview, GString *out_text) {
  size_t known = 0, unseen = 0;
  for (guint i = 0; i < overview->groups->len; i++) {
    const overview_group_t *group = &g_array_index(overview->groups, overview_group_t, i);
    if (group->new_count == group->count) continue;
    known++;
    unseen += group->seen_count == 0;
  }
  if (known == 0) return;
  g_string_append_printf(out_text, "%zu root cause%s known from before", known,
                         known == 1 ? " is" : "s are");
  if (unseen > 0) g_string_append_printf(out_text, ", %zu of them not seen this time", unseen);
  g_string_append(out_text, ". ");
}

/* Of a campaign: judged cases, and the share of them that is wrong. */
static void append_share(const report_grid_t *trend, size_t row, GString *out_text) {
  double cases = overview_number(trend, row, "judged");
  double wrong = overview_number(trend, row, "wrong");
  g_string_append_printf(out_text, "%.2g %% of %.0f judged cases",
                         cases > 0 ? 100 * wrong / cases : 0, cases);
}

void overview_print_headline(const overview_t *overview, GString *out_text) {
  const report_grid_t *trend = &overview->sections[OVERVIEW_TREND];
  size_t campaigns = report_grid_row_count(trend);
  if (campaigns == 0) {
    g_string_append(out_text, "Nothing has run.");
  } else if (overview->groups->len == 0) {
    g_string_append_printf(out_text, "Nothing was found to be wrong in %.0f judged cases.",
                           overview_total(overview, "conforms"));
  } else {
    append_news(overview, overview_text(trend, campaigns - 1, "campaign"), out_text);
  }
}

void overview_print_summary(const overview_t *overview, GString *out_text) {
  const report_grid_t *trend = &overview->sections[OVERVIEW_TREND];
  size_t campaigns = report_grid_row_count(trend);
  if (campaigns == 0) return;
  size_t last = campaigns - 1;
  append_unexplained(overview, out_text);
  append_known(overview, out_text);
  g_string_append(out_text, "Wrong: ");
  append_share(trend, last, out_text);
  if (last > 0) {
    g_string_append(out_text, ", after ");
    append_share(trend, last - 1, out_text);
    g_string_append_printf(out_text, " in %s", overview_text(trend, last - 1, "campaign"));
  }
  g_string_append_c(out_text, '.');
}
