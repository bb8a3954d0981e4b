/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of the house holds: includes follow the picture in ARCHITECTURE.md, no files include one
 * another in a circle, and no folder holds more than can be seen at a glance.  Each rule is seen to
 * fail on a planted fault. */
#include "tests/tidy/layers.h"
#include "tests/tidy/source_tree.h"
#include "tests/tidy/tidy_rules.h"

enum { FOLDER_FILES_MAX = 26 };

/* An include: from a file to another of the tree. */
typedef struct edge {
  char *from;
  char *to;
} edge_t;

static void edge_clear(gpointer data) {
  edge_t *edge = data;
  g_free(edge->from);
  g_free(edge->to);
}

static GArray *edges_new(void) {
  GArray *edges = g_array_new(FALSE, FALSE, sizeof(edge_t));
  g_array_set_clear_func(edges, edge_clear);
  return edges;
}

static void add_edge(GArray *edges, const char *from, const char *to) {
  edge_t edge = {.from = g_strdup(from), .to = g_strdup(to)};
  g_array_append_val(edges, edge);
}

static GArray *read_edges(const GPtrArray *paths) {
  GArray *edges = edges_new();
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    g_autofree char *text = read_text(path);
    source_t source = source_make(path, text);
    for (size_t line = 0; source.uncommented[line] != NULL; line++) {
      char opening = '\0';
      g_autofree char *included = included_path(source.uncommented[line], &opening);
      if (included != NULL && opening == '"') add_edge(edges, path, included);
    }
    source_free(&source);
  }
  return edges;
}

static GPtrArray *complaints_new(void) { return g_ptr_array_new_with_free_func(g_free); }

/* ---- Layers ---------------------------------------------------------------------------------- */

static GPtrArray *check_layers(const layers_t *layers, const GArray *edges) {
  GPtrArray *complaints = complaints_new();
  for (guint i = 0; i < edges->len; i++) {
    const edge_t *edge = &g_array_index(edges, edge_t, i);
    if (layers_permit(layers, edge->from, edge->to)) continue;
    g_ptr_array_add(complaints, g_strdup_printf("%s may not include %s: it is not below",
                                                edge->from, edge->to));
  }
  return complaints;
}

/* A room that holds no file, and a file without a room. */
static GPtrArray *check_rooms(const layers_t *layers, const GPtrArray *paths) {
  GPtrArray *complaints = complaints_new();
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    if (layers_find(layers, path) != NULL) continue;
    g_ptr_array_add(complaints, g_strdup_printf("%s is in no layer of the picture", path));
  }
  for (guint room = 0; room < layers->rooms->len; room++) {
    const room_t *row = &g_array_index(layers->rooms, room_t, room);
    bool has_file = g_str_equal(row->pattern, "generated");
    for (guint i = 0; i < paths->len && !has_file; i++) {
      has_file = room_holds(row, g_ptr_array_index(paths, i));
    }
    if (!has_file) g_ptr_array_add(complaints, g_strdup_printf("%s is empty", row->pattern));
  }
  return complaints;
}

static const char picture[] =
    "# A\n\n## Layers: down\n\n```\n"
    "L2  harness/cli  tests      # programs\n"
    "L1  harness/gen  harness/exec/*/in\n"
    "    oracles  oracles/ops/*/op\n"
    "L0  harness/base  generated\n```\n";

static const struct {
  const char *from;
  const char *to;
  bool is_permitted;
} LAYER_PLANTS[] = {
    {"harness/gen/a.c", "harness/base/text.h", true},
    {"harness/gen/a.c", "harness/gen/b.h", true},
    {"harness/gen/a.c", "generated/b.def", true},
    {"harness/gen/deeper/a.c", "harness/gen/b.h", true},
    {"harness/base/a.c", "harness/gen/b.h", false},
    {"harness/gen/a.c", "oracles/b.h", false},
    {"harness/gen/a.c", "b.h", false},
    {"harness/gen/a.c", "harness/unknown/b.h", false},
    {"harness/unknown/a.c", "harness/base/b.h", false},
    {"harness/exec/x/in/a.c", "harness/base/b.h", true},
    {"harness/exec/x/in/a.c", "harness/gen/b.h", false},
    {"oracles/ops/f/op/draw.c", "oracles/ops/f/f.h", true},
    {"oracles/ops/f/op/draw.c", "oracles/ops/f/oracle.h", false},
    {"oracles/ops/f/op/draw.c", "oracles/ops/g/g.h", false},
    {"oracles/ops/f/op/draw.c", "oracles/exact/sum.h", false},
    {"oracles/ops/f/ask.c", "oracles/ops/g/g.h", true},
    {"tests/a.c", "harness/gen/b.h", true},
    {"tests/a.c", "harness/cli/b.h", false},
};

static void test_layer_plants(void) {
  layers_t layers = layers_read(picture);
  g_assert_cmpuint(layers.rooms->len, ==, 8);
  for (size_t i = 0; i < G_N_ELEMENTS(LAYER_PLANTS); i++) {
    GArray *edges = edges_new();
    add_edge(edges, LAYER_PLANTS[i].from, LAYER_PLANTS[i].to);
    GPtrArray *complaints = check_layers(&layers, edges);
    g_test_message("%s includes %s", LAYER_PLANTS[i].from, LAYER_PLANTS[i].to);
    g_assert_cmpuint(complaints->len, ==, LAYER_PLANTS[i].is_permitted ? 0 : 1);
    g_ptr_array_unref(complaints);
    g_array_unref(edges);
  }
  GPtrArray *paths = complaints_new();
  g_ptr_array_add(paths, g_strdup("harness/nowhere/a.c"));
  GPtrArray *complaints = check_rooms(&layers, paths);
  g_assert_cmpuint(complaints->len, ==, 8); /* That file, and all rooms but `generated`. */
  g_ptr_array_unref(complaints);
  g_ptr_array_unref(paths);
  layers_free(&layers);
}

static void test_layers(void) {
  g_autofree char *document = read_text("ARCHITECTURE.md");
  layers_t layers = layers_read(document);
  g_assert_cmpuint(layers.rooms->len, >, 10);
  GPtrArray *paths = list_all_sources();
  report(check_rooms(&layers, paths));
  GArray *edges = read_edges(paths);
  g_assert_cmpuint(edges->len, >, 1000);
  report(check_layers(&layers, edges));
  g_array_unref(edges);
  g_ptr_array_unref(paths);
  layers_free(&layers);
}

/* ---- Circles --------------------------------------------------------------------------------- */

/* A .c and a .h of one name are one file here. */
static char *stem_of(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot == NULL ? g_strdup(path) : g_strndup(path, (gsize)(dot - path));
}

/* A walk in depth: stems by name, each with its includes; the path from the start. */
typedef struct walk {
  GHashTable *includes; /* Stem to GPtrArray of stems. */
  GHashTable *left;     /* Stems from which nothing more is to be found. */
  GPtrArray *path;
  GPtrArray *complaints;
} walk_t;

static void complain_of_circle(walk_t *walk, guint begin) {
  GString *text = g_string_new("a circle:");
  for (guint i = begin; i < walk->path->len; i++) {
    g_string_append_printf(text, " %s", (const char *)g_ptr_array_index(walk->path, i));
  }
  g_ptr_array_add(walk->complaints, g_string_free(text, FALSE));
}

static void walk_from(walk_t *walk, char *stem) {
  if (g_hash_table_contains(walk->left, stem)) return;
  for (guint i = 0; i < walk->path->len; i++) {
    if (!g_str_equal(g_ptr_array_index(walk->path, i), stem)) continue;
    complain_of_circle(walk, i);
    return;
  }
  g_ptr_array_add(walk->path, stem);
  const GPtrArray *includes = g_hash_table_lookup(walk->includes, stem);
  for (guint i = 0; includes != NULL && i < includes->len; i++) {
    walk_from(walk, g_ptr_array_index(includes, i));
  }
  g_ptr_array_remove_index(walk->path, walk->path->len - 1);
  g_hash_table_add(walk->left, stem);
}

static GPtrArray *check_circles(const GArray *edges) {
  walk_t walk = {.includes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                                   (GDestroyNotify)g_ptr_array_unref),
                 .left = g_hash_table_new(g_str_hash, g_str_equal),
                 .path = g_ptr_array_new(),
                 .complaints = complaints_new()};
  for (guint i = 0; i < edges->len; i++) {
    const edge_t *edge = &g_array_index(edges, edge_t, i);
    g_autofree char *from = stem_of(edge->from);
    g_autofree char *to = stem_of(edge->to);
    if (g_str_equal(from, to)) continue;
    GPtrArray *includes = g_hash_table_lookup(walk.includes, from);
    if (includes == NULL) {
      includes = complaints_new();
      g_hash_table_insert(walk.includes, g_steal_pointer(&from), includes);
    }
    g_ptr_array_add(includes, g_steal_pointer(&to));
  }
  GHashTableIter iter;
  gpointer stem;
  g_hash_table_iter_init(&iter, walk.includes);
  while (g_hash_table_iter_next(&iter, &stem, NULL)) walk_from(&walk, stem);
  g_hash_table_destroy(walk.left);
  g_ptr_array_unref(walk.path);
  g_hash_table_destroy(walk.includes);
  return walk.complaints;
}

static void test_circle_plants(void) {
  GArray *edges = edges_new();
  add_edge(edges, "x/a.c", "x/a.h");
  add_edge(edges, "x/a.c", "x/b.h");
  add_edge(edges, "x/b.c", "x/c.h");
  GPtrArray *complaints = check_circles(edges);
  g_assert_cmpuint(complaints->len, ==, 0);
  g_ptr_array_unref(complaints);
  add_edge(edges, "x/c.h", "x/a.h");
  complaints = check_circles(edges);
  g_assert_cmpuint(complaints->len, ==, 1);
  g_ptr_array_unref(complaints);
  g_array_unref(edges);
}

static void test_circles(void) {
  GPtrArray *paths = list_all_sources();
  GArray *edges = read_edges(paths);
  report(check_circles(edges));
  g_array_unref(edges);
  g_ptr_array_unref(paths);
}

/* ---- Folders --------------------------------------------------------------------------------- */

static GPtrArray *check_folders(const GPtrArray *paths) {
  GPtrArray *complaints = complaints_new();
  GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    if (g_str_has_prefix(path, "tests/")) continue;
    char *folder = g_path_get_dirname(path);
    guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, folder)) + 1;
    if (count == FOLDER_FILES_MAX + 1) {
      g_ptr_array_add(complaints, g_strdup_printf("%s holds too many files", folder));
    }
    g_hash_table_replace(counts, folder, GUINT_TO_POINTER(count));
  }
  g_hash_table_destroy(counts);
  return complaints;
}

static void test_folders(void) {
  GPtrArray *paths = list_all_sources();
  report(check_folders(paths));
  for (int i = 0; i <= FOLDER_FILES_MAX; i++) { /* Planted. */
    g_ptr_array_add(paths, g_strdup_printf("harness/planted/%d.c", i));
  }
  GPtrArray *complaints = check_folders(paths);
  g_assert_cmpuint(complaints->len, >=, 1);
  g_ptr_array_unref(complaints);
  g_ptr_array_unref(paths);
}

/* Workers are files of many kinds: all of them count. */
static void test_worker_folders(void) {
  static const char *const endings[] = {".py",    ".md", ".in", ".requirements", ".contract", ".c",
                                        ".cmake", ".sh", NULL};
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  list_files("harness/exec/workers", endings, paths);
  g_assert_cmpuint(paths->len, >, FOLDER_FILES_MAX);
  report(check_folders(paths));
  for (guint i = 0; i < paths->len; i++) { /* Planted: all in one folder. */
    g_autofree char *name = g_path_get_basename(g_ptr_array_index(paths, i));
    g_free(g_ptr_array_index(paths, i));
    g_ptr_array_index(paths, i) = g_build_filename("harness/planted", name, NULL);
  }
  GPtrArray *complaints = check_folders(paths);
  g_assert_cmpuint(complaints->len, ==, 1);
  g_ptr_array_unref(complaints);
  g_ptr_array_unref(paths);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/structure/planted-layers", test_layer_plants);
  g_test_add_func("/structure/layers", test_layers);
  g_test_add_func("/structure/planted-circle", test_circle_plants);
  g_test_add_func("/structure/circles", test_circles);
  g_test_add_func("/structure/folders", test_folders);
  g_test_add_func("/structure/worker-folders", test_worker_folders);
  return g_test_run();
}
