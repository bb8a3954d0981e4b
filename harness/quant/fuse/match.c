/* SPDX-License-Identifier: Apache-2.0 */
/* Whether ops of a graph are what a pattern describes, and whether they may become one region. */
#include <string.h>

#include "harness/model/op.h"
#include "harness/quant/fuse/matcher.h"
#include "harness/quant/lower/attribute.h"

/* ---- Conditions ------------------------------------------------------------------------------ */

/* '*' stands for one or more characters other than ',', '[' and ']'. */
static bool fits_glob(const char *glob, const char *text) {
  for (; *glob != '\0'; glob++, text++) {
    if (*glob != '*') {
      if (*glob != *text) return false;
      continue;
    }
    if (*text == '\0' || strchr(",[]", *text) != NULL) return false;
    while (text[1] != '\0' && strchr(",[]", text[1]) == NULL) text++;
  }
  return *text == '\0';
}

/* "last" stands for the last dimension of the first operand: its number, or -1. */
static bool fits_text(const char *wanted, const char *found, uint32_t rank) {
  const char *last = strstr(wanted, "last");
  if (last == NULL) return fits_glob(wanted, found);
  int head = (int)(last - wanted);
  g_autofree char *number =
      g_strdup_printf("%.*s%d%s", head, wanted, (int)rank - 1, last + strlen("last"));
  g_autofree char *minus = g_strdup_printf("%.*s-1%s", head, wanted, last + strlen("last"));
  return fits_glob(number, found) || fits_glob(minus, found);
}

/* "dim(INPUT,N)" as a number; what it is not stays as it is. */
static const char *expand(const matcher_t *matcher, const char *text, char *out, size_t bytes) {
  if (!g_str_has_prefix(text, "dim(")) return text;
  const quant_pattern_t *pattern = matcher->variant->pattern;
  const char *comma = strchr(text, ',');
  for (uint32_t p = 0; p < pattern->port_count; p++) {
    size_t size = strlen(pattern->ports[p]);
    bool is_this =
        (size_t)(comma - text) == 4 + size && memcmp(text + 4, pattern->ports[p], size) == 0;
    if (!is_this || matcher->ports[p] == -1) continue;
    const type_t *type = &matcher->fuser->graph->values[matcher->ports[p]].type;
    guint64 dimension = g_ascii_strtoull(comma + 1, NULL, 10);
    if (dimension >= type->rank) break;
    g_snprintf(out, (gulong)bytes, "%" G_GINT64_FORMAT, (gint64)type->dims[dimension]);
    return out;
  }
  return "no such dimension";
}

static bool check_condition(matcher_t *matcher, const quant_condition_t *condition,
                            const quant_region_t *region) {
  const program_t *program = &region->ops[0].program;
  char wanted_text[32], rank_text[16];
  const char *wanted = expand(matcher, condition->text, wanted_text, sizeof wanted_text);
  arena_t *arena = matcher->fuser->arena;
  arena_mark_t mark = arena_mark(arena);
  const char *found = quant_attribute(program, condition->attribute, arena);
  if (strcmp(condition->attribute, "rank") == 0) {
    g_snprintf(rank_text, sizeof rank_text, "%u", program->results[0].rank);
    found = rank_text;
  }
  uint32_t rank = program->operand_count > 0 ? program->operands[0].rank : 0;
  bool fits = found != NULL && fits_text(wanted, found, rank);
  if (!fits) {
    (void)FAIL(matcher, "%s has %s %s, not %s", region->name, condition->attribute,
               found == NULL ? "nowhere" : found, wanted);
  }
  arena_rewind(arena, mark);
  return fits;
}

static bool check_conditions(matcher_t *matcher) {
  const quant_pattern_t *pattern = matcher->variant->pattern;
  for (uint32_t line = 0; line < pattern->line_count; line++) {
    if (matcher->line_ops[line] == QUANT_NONE) continue;
    const quant_region_t *region = &matcher->fuser->graph->regions[matcher->line_ops[line]];
    for (uint32_t i = 0; i < pattern->lines[line].condition_count; i++) {
      if (!check_condition(matcher, &pattern->lines[line].conditions[i], region)) return false;
    }
  }
  return true;
}

/* ---- What is used elsewhere ------------------------------------------------------------------ */

static bool has_op(const matcher_t *matcher, uint32_t op) {
  for (uint32_t line = 0; line < matcher->variant->pattern->line_count; line++) {
    if (matcher->line_ops[line] == (int32_t)op) return true;
  }
  return false;
}

/* A tensor that goes inside is used inside alone, unless it is made of constants: then the region
 * has a copy of what makes it. */
static bool check_uses(matcher_t *matcher) {
  const fuser_t *fuser = matcher->fuser;
  const quant_graph_t *graph = fuser->graph;
  uint32_t all = matcher->variant->size + 1;
  if (fuser->fault == QUANT_FUSE_FAULT_second_use) return true;
  for (uint32_t line = 0; line < matcher->variant->pattern->line_count; line++) {
    int32_t op = matcher->line_ops[line];
    if (op == QUANT_NONE || (uint32_t)op == matcher->root) continue;
    const quant_region_t *region = &graph->regions[op];
    uint32_t index = region->ports[region->input_count].value;
    const quant_value_t *value = &graph->values[index];
    if (!value_is_in_call(graph, index, region->call)) {
      return matcher_fail(matcher, all, "%s is a result of its call", value->name);
    }
    if (fuser->fates[op].is_constant) continue;
    if (value->is_output)
      return matcher_fail(matcher, all, "%s is an output of the graph", value->name);
    for (uint32_t i = 0; i < value->use_count; i++) {
      uint32_t user = value->uses[i].region;
      if (has_op(matcher, user)) continue;
      return matcher_fail(matcher, all, "%s is used by %s too", value->name,
                          quant_region_key(graph, &graph->regions[user]));
    }
  }
  return true;
}

/* ---- The region ------------------------------------------------------------------------------ */

/* Inputs by the kernel's ports; false if there are too many, or one is left out before another. */
static bool collect_inputs(const matcher_t *matcher, quant_match_t *match,
                           uint32_t out_inputs_of_ports[QUANT_PORTS_MAX]) {
  const quant_pattern_t *pattern = matcher->variant->pattern;
  bool is_missing = false;
  for (uint32_t p = 0; p < pattern->port_count; p++) {
    out_inputs_of_ports[p] = match->input_count;
    bool is_repeated = matcher->repeated_count > 0 && p + 1 == pattern->port_count;
    uint32_t count = is_repeated ? matcher->repeated_count : matcher->ports[p] != -1;
    if (match->input_count + count + 1 > QUANT_PORTS_MAX || (count > 0 && is_missing)) return false;
    for (uint32_t i = 0; i < count; i++) {
      match->inputs[match->input_count++] =
          is_repeated ? matcher->repeated[i] : (uint32_t)matcher->ports[p];
    }
    is_missing |= count == 0;
  }
  return true;
}

typedef struct ranked {
  uint32_t op;
  int32_t line;
  uint32_t rank;
} ranked_t;

static int compare_ranked(gconstpointer a, gconstpointer b) {
  const ranked_t *left = a, *right = b;
  return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static uint32_t collect_ops(const matcher_t *matcher, ranked_t out_ops[MATCH_OPS_MAX * 2]) {
  uint32_t count = 0;
  for (uint32_t line = 0; line < matcher->variant->pattern->line_count; line++) {
    if (matcher->line_ops[line] == QUANT_NONE) continue;
    uint32_t op = (uint32_t)matcher->line_ops[line];
    out_ops[count++] = (ranked_t){op, (int32_t)line, matcher->fuser->ranks[op]};
  }
  for (uint32_t i = 0; i < matcher->widening_count; i++) {
    uint32_t op = matcher->widenings[i];
    if (!has_op(matcher, op))
      out_ops[count++] = (ranked_t){op, QUANT_NONE, matcher->fuser->ranks[op]};
  }
  qsort(out_ops, count, sizeof out_ops[0], compare_ranked);
  return count;
}

/* Which input each operand of a line is; input_count where it is none. */
static void find_operands(const matcher_t *matcher, const quant_match_t *match, int32_t line,
                          const uint32_t inputs_of_ports[QUANT_PORTS_MAX],
                          uint32_t out_operands[CASE_OPERANDS_MAX]) {
  for (uint32_t i = 0; i < CASE_OPERANDS_MAX; i++) out_operands[i] = match->input_count;
  if (line == QUANT_NONE) return;
  const quant_pattern_line_t *wanted = &matcher->variant->pattern->lines[line];
  for (uint32_t i = 0; i < wanted->argument_count; i++) {
    const quant_argument_t argument = variant_resolve(matcher->variant, wanted->arguments[i]);
    if (argument.kind == QUANT_ARGUMENT_PORT) {
      out_operands[operand_of(matcher, (uint32_t)line, i)] = inputs_of_ports[argument.index];
    }
    if (argument.kind != QUANT_ARGUMENT_PORTS) continue;
    for (uint32_t k = 0; k < matcher->repeated_count; k++) {
      out_operands[i + k] = inputs_of_ports[argument.index] + k;
    }
  }
}

/* Asks the table whether a region of these ports is one of its kernel's rows. */
static bool find_row(const matcher_t *matcher, quant_match_t *match) {
  const fuser_t *fuser = matcher->fuser;
  const quant_region_t *root = &fuser->graph->regions[match->root];
  quant_port_t ports[QUANT_PORTS_MAX] = {{.value = 0}};
  for (uint32_t i = 0; i < match->input_count; i++) ports[i].value = match->inputs[i];
  ports[match->input_count].value = root->ports[root->input_count].value;
  const quant_region_t candidate = {.name = root->name,
                                    .kernel = match->pattern->kernel,
                                    .input_count = match->input_count,
                                    .output_count = 1,
                                    .ports = ports};
  quant_graph_t view = *fuser->graph;
  view.regions = &candidate;
  view.region_count = 1;
  quant_signature_port_t signature[QUANT_PORTS_MAX];
  failure_t reason = {0};
  if (quant_target_match(fuser->table, &view, 0, &match->row, signature, &reason) == STATUS_OK) {
    return true;
  }
  const char *said = strstr(reason.text, ": "); /* "region NAME: ..." */
  return matcher_fail(matcher, matcher->variant->size + 2, "%.200s",
                      said == NULL ? reason.text : said + 2);
}

static bool finish(matcher_t *matcher, quant_match_t *match) {
  arena_t *arena = matcher->fuser->arena;
  uint32_t inputs_of_ports[QUANT_PORTS_MAX];
  if (!collect_inputs(matcher, match, inputs_of_ports)) {
    return matcher_fail(matcher, matcher->variant->size,
                        "its inputs do not fit the kernel's ports");
  }
  if (!find_row(matcher, match)) return false;
  ranked_t ops[MATCH_OPS_MAX * 2];
  uint32_t count = collect_ops(matcher, ops);
  uint32_t *regions = ARENA_NEW_ARRAY(arena, uint32_t, count);
  int32_t *lines = ARENA_NEW_ARRAY(arena, int32_t, count);
  uint32_t *operands = ARENA_NEW_ARRAY(arena, uint32_t, count *CASE_OPERANDS_MAX);
  for (uint32_t i = 0; i < count; i++) {
    regions[i] = ops[i].op;
    lines[i] = ops[i].line;
    find_operands(matcher, match, lines[i], inputs_of_ports, &operands[i * CASE_OPERANDS_MAX]);
  }
  uint32_t *constants = ARENA_NEW_ARRAY(arena, uint32_t, matcher->constant_count + 1);
  memcpy(constants, matcher->constants, matcher->constant_count * sizeof constants[0]);
  match->op_count = count;
  match->ops = regions;
  match->lines = lines;
  match->operands = operands;
  match->constant_count = matcher->constant_count;
  match->constants = constants;
  return true;
}

/* ---- All ways to swap ------------------------------------------------------------------------ */

static bool may_swap(const fuser_t *fuser, const quant_pattern_line_t *line) {
  if (line->argument_count != 2) return false;
  if (line->arguments[1].kind == QUANT_ARGUMENT_PORTS) return false;
  return quant_op_is_commutative(line->op) || fuser->fault == QUANT_FUSE_FAULT_swaps_all;
}

static bool match_swapped(const fuser_t *fuser, const variant_t *variant, uint32_t swaps,
                          uint32_t root, quant_match_t *out_match, miss_t *out_miss) {
  matcher_t matcher = {
      .fuser = fuser, .variant = variant, .swaps = swaps, .root = root, .miss = out_miss};
  for (uint32_t i = 0; i < QUANT_PATTERN_LINES_MAX; i++) matcher.line_ops[i] = QUANT_NONE;
  for (uint32_t i = 0; i < QUANT_PORTS_MAX; i++) matcher.ports[i] = -1;
  *out_match = (quant_match_t){.pattern = variant->pattern,
                               .left_out = variant->left_out,
                               .size = variant->size,
                               .root = root};
  return matcher_bind(&matcher, variant->root, root) && check_conditions(&matcher) &&
         check_uses(&matcher) && finish(&matcher, out_match);
}

bool match_at(const fuser_t *fuser, const variant_t *variant, uint32_t root,
              quant_match_t *out_match, miss_t *out_miss) {
  uint32_t swappable[QUANT_PATTERN_LINES_MAX], count = 0;
  for (uint32_t i = 0; i < variant->pattern->line_count; i++) {
    if (variant_has(variant, i) && may_swap(fuser, &variant->pattern->lines[i])) {
      swappable[count++] = i;
    }
  }
  out_miss->progress = 0;
  for (uint32_t number = 0; number >> count == 0; number++) {
    uint32_t swaps = 0;
    for (uint32_t i = 0; i < count; i++) swaps |= (number >> i & 1) << swappable[i];
    miss_t miss = {.progress = 0, .text = ""};
    if (match_swapped(fuser, variant, swaps, root, out_match, &miss)) return true;
    if (number == 0 || miss.progress > out_miss->progress) *out_miss = miss;
  }
  return false;
}
