/* SPDX-License-Identifier: Apache-2.0 */
/* One branch for each of the two in every function. */
#include "reports/run/vet_points.h"

#include "reports/verdict/describe.h"

vet_points_t vet_points_of_tap(tap_t *tap) { return (vet_points_t){.tap = tap}; }

vet_points_t vet_points_of_json(void) {
  return (vet_points_t){.document = json_pack("{s:[], s:[]}", "points", "notes")};
}

void vet_points_plan(const vet_points_t *points, size_t count) {
  if (points->tap != NULL) tap_plan(points->tap, count);
}

static void add_json(const vet_points_t *points, bool is_ok, const char *description,
                     const char *directive, const char *reason) {
  json_t *point = json_pack("{s:b, s:s}", "ok", is_ok, "description", description);
  if (directive != NULL) json_object_set_new(point, directive, json_string(reason));
  json_array_append_new(json_object_get(points->document, "points"), point);
}

void vet_points_add(const vet_points_t *points, bool is_ok, const char *description) {
  if (points->tap != NULL) {
    tap_point(points->tap, is_ok, description);
  } else {
    add_json(points, is_ok, description, NULL, NULL);
  }
}

void vet_points_skip(const vet_points_t *points, const char *description, const char *reason) {
  if (points->tap != NULL) {
    tap_point_skip(points->tap, description, reason);
  } else {
    add_json(points, true, description, "skip", reason);
  }
}

void vet_points_todo(const vet_points_t *points, const char *description, const char *reason) {
  if (points->tap != NULL) {
    tap_point_todo(points->tap, false, description, reason);
  } else {
    add_json(points, false, description, "todo", reason);
  }
}

void vet_points_details(const vet_points_t *points, const tap_detail_t *details, size_t count) {
  if (points->tap != NULL) {
    tap_details(points->tap, details, count);
    return;
  }
  json_t *all = json_object_get(points->document, "points");
  json_t *point = json_array_get(all, json_array_size(all) - 1);
  for (size_t i = 0; i < count; i++) {
    json_object_set_new(point, details[i].key, json_string(details[i].value));
  }
}

void vet_points_note(const vet_points_t *points, const char *text) {
  if (text[0] == '\0') return;
  if (points->tap != NULL) {
    tap_comment(points->tap, text);
  } else {
    json_array_append_new(json_object_get(points->document, "notes"), json_string(text));
  }
}

void vet_points_bail_out(const vet_points_t *points, const char *reason) {
  if (points->tap != NULL) {
    tap_bail_out(points->tap, reason);
  } else {
    json_object_set_new(points->document, "bail out", json_string(reason));
  }
}

void vet_points_end(vet_points_t *points) {
  if (points->document != NULL) json_print(points->document, false);
  points->document = NULL;
  fflush(stdout);
}
