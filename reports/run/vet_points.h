/* SPDX-License-Identifier: Apache-2.0 */
/* Where test points go: to a TAP stream, or into one JSON document, {"points": [...], "notes":
 * [...]}, whose points have "ok", "description", "skip" or "todo" with the reason, and details. */
#ifndef ASSAY_REPORTS_RUN_VET_POINTS_H
#define ASSAY_REPORTS_RUN_VET_POINTS_H

#include <jansson.h>

#include "harness/tap/tap.h"

typedef struct vet_points {
  tap_t *tap;       /* Borrowed; NULL: into ... */
  json_t *document; /* ... this one, owned: vet_points_end(). */
} vet_points_t;

vet_points_t vet_points_of_tap(tap_t *tap);
vet_points_t vet_points_of_json(void);

void vet_points_plan(const vet_points_t *points, size_t count);
void vet_points_add(const vet_points_t *points, bool is_ok, const char *description);
void vet_points_skip(const vet_points_t *points, const char *description, const char *reason);
/* It failed, and that does not count. */
void vet_points_todo(const vet_points_t *points, const char *description, const char *reason);
/* Of the point just added. */
void vet_points_details(const vet_points_t *points, const tap_detail_t *details, size_t count);
/* A line for people; nothing if it is empty. */
void vet_points_note(const vet_points_t *points, const char *text);
/* It could not go on. */
void vet_points_bail_out(const vet_points_t *points, const char *reason);
/* Prints the document, if there is one, and frees it. */
void vet_points_end(vet_points_t *points);

#endif
