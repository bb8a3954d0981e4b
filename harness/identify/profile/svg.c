/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the outline of a profile as SVG: rows for terms, columns by depth, one colour per
 * arithmetic and a legend. Lines and shapes are collected separately so that shapes cover lines. */
#include "harness/identify/profile/svg.h"

#include <limits.h>

#include "harness/identify/profile/outline.h"

/* All lengths are in pixels. */
enum {
  MARGIN = 24,
  TERM_WIDTH = 150, /* Of the column of terms ... */
  BOX_WIDTH = 310,  /* ... and where boxes stand in it. */
  ROW_HEIGHT = 20,
  LEVEL_WIDTH = 46,
  RADIUS = 7, /* Of an addition. */
  CHARACTER_WIDTH = 7,
  TITLE_CHARACTER_WIDTH = 12,
  LEGEND_HEIGHT = 20,
  HEAD_HEIGHT = 64,
  OUTPUT_WIDTH = 110,
  PALETTE_SIZE = 6,
};

/* Where the value of a subtree comes out. */
typedef struct port {
  int x;
  int y;
} port_t;

typedef struct picture {
  const profile_t *profile;
  const subtree_stats_t *stats;
  int label_width;
  GString *lines;         /* SVG: what lies below ... */
  GString *shapes;        /* ... and what lies above. */
  GPtrArray *arithmetics; /* One node for each different arithmetic, in order of appearance. */
  int next_y;             /* Of the next row. */
} picture_t;

static const char STYLE[] =
    "text{font:13px system-ui,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2933}"
    ".h{font-size:17px;font-weight:600}.s{fill:#52606d}.e{text-anchor:end}.m{text-anchor:middle}"
    ".g{fill:#7b8794;font-style:italic}.i{fill:#b4540a;font-weight:600}"
    "path{fill:none;stroke:#9aa5b1;stroke-width:1.4}.d{stroke-dasharray:2 4}"
    ".b{fill:#f0f4f8;stroke:#9aa5b1}"
    "circle,.n{stroke-width:1.6}.p{font-size:11px;text-anchor:middle;font-weight:600}"
    ".a0{fill:#dbeafe;stroke:#1d4ed8}.a1{fill:#fde68a;stroke:#b45309}.a2{fill:#d1fae5;stroke:#"
    "047857}"
    ".a3{fill:#fbcfe8;stroke:#be185d}.a4{fill:#e9d5ff;stroke:#7e22ce}.a5{fill:#e5e7eb;stroke:#"
    "374151}";

/* ---- Parts ----------------------------------------------------------------------------------- */

static void draw_text(picture_t *picture, const char *classes, int x, int y, const char *text) {
  g_autofree char *escaped = g_markup_escape_text(text, -1);
  g_string_append_printf(picture->shapes, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
                         classes, x, y, escaped);
}

static void draw_line(picture_t *picture, port_t from, port_t to, bool is_dashed) {
  g_string_append_printf(picture->lines, "<path%s d=\"M%d %dL%d %d\"/>\n",
                         is_dashed ? " class=\"d\"" : "", from.x, from.y, to.x, to.y);
}

static guint arithmetic_index(picture_t *picture, const profile_node_t *node) {
  for (guint i = 0; i < picture->arithmetics->len; i++) {
    if (tree_same_arithmetic(g_ptr_array_index(picture->arithmetics, i), node)) return i;
  }
  g_ptr_array_add(picture->arithmetics, (gpointer)(uintptr_t)node);
  return picture->arithmetics->len - 1;
}

/* An addition of two things is a circle, of more a box that says how many, of one a rounding. */
static void draw_adder(picture_t *picture, uint32_t id, port_t at) {
  const profile_node_t *node = profile_node(picture->profile, id);
  guint colour = arithmetic_index(picture, node) % PALETTE_SIZE;
  if (node->child_count <= 2) {
    g_string_append_printf(picture->shapes,
                           "<circle class=\"a%u\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>"
                           "<text class=\"p\" x=\"%d\" y=\"%d\">%s</text>\n",
                           colour, at.x, at.y, RADIUS, at.x, at.y + 4,
                           node->child_count == 1 ? "r" : "+");
    return;
  }
  g_string_append_printf(picture->shapes,
                         "<rect class=\"n a%u\" x=\"%d\" y=\"%d\" width=\"32\" height=\"18\" "
                         "rx=\"6\"/><text class=\"p\" x=\"%d\" y=\"%d\">\u03a3%u</text>\n",
                         colour, at.x - 16, at.y - 9, at.x, at.y + 4, node->child_count);
}

static int column_x(const picture_t *picture, uint32_t level) {
  return MARGIN + picture->label_width + (int)level * LEVEL_WIDTH;
}

/* The next row of the column of terms. */
static port_t take_row(picture_t *picture) {
  port_t port = {.x = column_x(picture, 0), .y = picture->next_y};
  picture->next_y += ROW_HEIGHT;
  return port;
}

/* ---- The column of terms --------------------------------------------------------------------- */

static port_t draw_leaf(picture_t *picture, uint32_t id) {
  port_t port = take_row(picture);
  const profile_t *profile = picture->profile;
  if (profile_is_term(profile, id)) {
    char text[48];
    g_snprintf(text, sizeof text, profile->right == NULL ? "%u" : "a%u\u00b7b%u", id, id);
    draw_text(picture, "e", port.x - 8, port.y + 5, text);
  } else {
    draw_text(picture, "e i", port.x - 8, port.y + 5, "init");
  }
  return port;
}

static port_t draw_box(picture_t *picture, const outline_t *outline) {
  port_t port = take_row(picture);
  const subtree_stats_t *stat = &picture->stats[outline->id];
  char text[96];
  g_snprintf(text, sizeof text, "%s %u terms in %u .. %u",
             outline->is_repeated ? "the same over" : "not drawn:", stat->leaf_count,
             stat->first_term, stat->last_term);
  g_string_append_printf(picture->shapes,
                         "<rect class=\"b\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                         "rx=\"4\"/>\n",
                         MARGIN, port.y - 9, picture->label_width, 18);
  draw_text(picture, "m", MARGIN + picture->label_width / 2, port.y + 5, text);
  return port;
}

static void draw_gap(picture_t *picture, const outline_t *outline) {
  port_t port = take_row(picture);
  const subtree_stats_t *first = &picture->stats[outline->first_id];
  const subtree_stats_t *last = &picture->stats[outline->last_id];
  char text[96];
  bool are_leaves = first->leaf_count == 1;
  g_snprintf(text, sizeof text,
             are_leaves ? "\u22ee %u more: %u .. %u" : "\u22ee %u more in %u .. %u",
             outline->hidden, MIN(first->first_term, last->first_term),
             MAX(first->last_term, last->last_term));
  draw_text(picture, "e g", port.x - 8, port.y + 5, text);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static port_t draw(picture_t *picture, const outline_t *outline);

/* Draws the items, joins each to the line at `x`, and that line from the first to the last; dashed
 * beside a gap.  out_y[i] is the height of item i. */
static void draw_items(picture_t *picture, const outline_t *outline, int x, int *out_y) {
  bool after_gap = false;
  for (uint32_t i = 0; i < outline->item_count; i++) {
    const outline_t *item = outline->items[i];
    bool is_gap = item->kind == OUTLINE_GAP;
    port_t port = {.x = x, .y = picture->next_y};
    if (is_gap) {
      draw_gap(picture, item);
    } else {
      port = draw(picture, item);
      draw_line(picture, port, (port_t){x, port.y}, false);
    }
    out_y[i] = port.y;
    if (i > 0)
      draw_line(picture, (port_t){x, out_y[i - 1]}, (port_t){x, port.y}, is_gap || after_gap);
    after_gap = is_gap;
  }
}

static port_t draw_node(picture_t *picture, const outline_t *outline) {
  int x = column_x(picture, outline->level);
  int *y = g_new(int, outline->item_count);
  draw_items(picture, outline, x, y);
  port_t port = {.x = x, .y = (y[0] + y[outline->item_count - 1]) / 2};
  g_free(y);
  draw_adder(picture, outline->id, port);
  return port;
}

/* The middle of the items that `adder` adds; `beginning` is the item that the sum begins with. */
static int adder_y(const outline_t *outline, const int *y, uint32_t beginning, uint32_t adder) {
  int low = INT_MAX;
  int high = 0;
  for (uint32_t i = 0; i < outline->item_count; i++) {
    if (i == beginning || outline->adders[i] != adder) continue;
    low = MIN(low, y[i]);
    high = MAX(high, y[i]);
  }
  return (low + high) / 2;
}

/* The nodes lie on the line, each beside what it adds. */
static port_t draw_chain(picture_t *picture, const outline_t *outline) {
  bool is_reverse = outline->kind == OUTLINE_REVERSE_CHAIN;
  port_t port = {.x = column_x(picture, outline->level)};
  uint32_t count = outline->item_count;
  int *y = g_new(int, count);
  draw_items(picture, outline, port.x, y);
  uint32_t beginning = is_reverse ? count - 1 : 0;
  uint32_t drawn = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t adder = outline->adders[i];
    bool is_hidden = outline->items[i]->kind == OUTLINE_GAP && adder != outline->id;
    if (i == beginning || adder == drawn || is_hidden) continue;
    port.y = adder_y(outline, y, beginning, adder);
    draw_adder(picture, adder, port);
    drawn = adder;
  }
  port.y = adder_y(outline, y, beginning, outline->id);
  g_free(y);
  return port;
}

static port_t draw(picture_t *picture, const outline_t *outline) {
  switch (outline->kind) {
    case OUTLINE_LEAF:
      return draw_leaf(picture, outline->id);
    case OUTLINE_BOX:
      return draw_box(picture, outline);
    case OUTLINE_CHAIN:
    case OUTLINE_REVERSE_CHAIN:
      return draw_chain(picture, outline);
    case OUTLINE_NODE:
    case OUTLINE_GAP: /* Drawn by the one that it is an item of. */
    default:
      return draw_node(picture, outline);
  }
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Whether some node of this arithmetic has a product among its children. */
static bool adds_products(const profile_t *profile, const profile_node_t *arithmetic) {
  for (size_t i = 0; i < profile->node_count; i++) {
    const profile_node_t *node = &profile->nodes[i];
    if (!tree_same_arithmetic(node, arithmetic)) continue;
    for (uint32_t j = 0; j < node->child_count; j++) {
      if (profile_is_term(profile, node->children[j])) return true;
    }
  }
  return false;
}

static void describe_arithmetic(const profile_t *profile, const profile_node_t *node,
                                GString *out_text) {
  g_string_append(out_text, node->format->name);
  if (node->rounding == ROUNDING_TOWARD_ZERO) g_string_append(out_text, ", truncated");
  if (node->aligned_bits != 0) {
    g_string_append_printf(out_text, ", addends aligned to %d bits", node->aligned_bits);
  }
  if (profile->right == NULL || !adds_products(profile, node)) return;
  if (node->fused) {
    g_string_append(out_text, ", products unrounded");
  } else {
    g_string_append_printf(out_text, ", products rounded to %s", profile->product->name);
  }
}

static int draw_legend(picture_t *picture, int y) {
  for (guint i = 0; i < picture->arithmetics->len; i++) {
    const profile_node_t *node = g_ptr_array_index(picture->arithmetics, i);
    g_string_append_printf(picture->shapes,
                           "<circle class=\"a%u\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>\n",
                           i % PALETTE_SIZE, MARGIN + RADIUS, y, RADIUS);
    GString *text = g_string_new(NULL);
    describe_arithmetic(picture->profile, node, text);
    draw_text(picture, "s", MARGIN + 3 * RADIUS, y + 5, text->str);
    g_string_free(text, TRUE);
    y += LEGEND_HEIGHT;
  }
  return y;
}

static void draw_result(picture_t *picture, port_t port) {
  port_t end = {.x = port.x + LEVEL_WIDTH, .y = port.y};
  draw_line(picture, (port_t){port.x + RADIUS, port.y}, end, false);
  g_string_append_printf(picture->lines, "<path d=\"M%d %dl-6 -4m6 4l-6 4\"/>\n", end.x, end.y);
  g_autofree char *text = g_strdup_printf("result, %s", picture->profile->result->name);
  draw_text(picture, "i", end.x + 6, end.y + 5, text);
}

static int text_width(const char *text, int character_width) {
  return (int)g_utf8_strlen(text, -1) * character_width;
}

static bool has_box(const outline_t *outline) {
  if (outline->kind == OUTLINE_BOX) return true;
  for (uint32_t i = 0; i < outline->item_count; i++) {
    if (has_box(outline->items[i])) return true;
  }
  return false;
}

/* Everything but the frame; returns the width and height in *out_size. */
static void draw_all(picture_t *picture, const outline_t *outline, const char *title,
                     const char *subtitle, port_t *out_size) {
  picture->label_width = has_box(outline) ? BOX_WIDTH : TERM_WIDTH;
  draw_text(picture, "h", MARGIN, MARGIN + 10, title);
  draw_text(picture, "s", MARGIN, MARGIN + 32, subtitle);
  draw_result(picture, draw(picture, outline));
  out_size->y = draw_legend(picture, picture->next_y + LEGEND_HEIGHT);
  int text = MAX(text_width(title, TITLE_CHARACTER_WIDTH), text_width(subtitle, CHARACTER_WIDTH));
  int tree = column_x(picture, outline->level + 1) + OUTPUT_WIDTH;
  out_size->x = MAX(tree, text + MARGIN) + MARGIN;
}

void profile_svg(const profile_t *profile, const char *title, const char *subtitle,
                 GString *out_svg) {
  arena_t arena;
  arena_init(&arena);
  subtree_stats_t *stats = subtree_stats_make(profile, &arena);
  picture_t picture = {.profile = profile,
                       .stats = stats,
                       .lines = g_string_new(NULL),
                       .shapes = g_string_new(NULL),
                       .arithmetics = g_ptr_array_new(),
                       .next_y = HEAD_HEIGHT + MARGIN};
  port_t size;
  draw_all(&picture, profile_outline(profile, stats, &arena), title, subtitle, &size);
  g_autofree char *escaped = g_markup_escape_text(title, -1);
  g_string_append_printf(out_svg,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                         "viewBox=\"0 0 %d %d\">\n<title>%s</title>\n<style>%s</style>\n"
                         "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s%s</svg>\n",
                         size.x, size.y, size.x, size.y, escaped, STYLE, picture.lines->str,
                         picture.shapes->str);
  g_ptr_array_free(picture.arithmetics, TRUE);
  g_string_free(picture.lines, TRUE);
  g_string_free(picture.shapes, TRUE);
  arena_deinit(&arena);
}
