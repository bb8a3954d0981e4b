/* SPDX-License-Identifier: Apache-2.0 */
/* A collective op reduced other replicas than those of a replica's group, or gave it another part
 * of what its group has.  Each replica's result is then that of a case of its own: an all_reduce of
 * the replicas that took part, in their order (theory.md, T265). */
#include <glib.h>
#include <string.h>

#include "harness/diagnose/change/change.h"

enum { REPLICAS_MAX = 64, MEMBERS_MAX = REPLICAS_MAX + 1 };

/* The op that gives each replica of a group what all of it has. */
static const char reduction[] =
#define REDUCTION_OF_GROUPS(op) op
#include "generated/all_reduction_of_groups.def"
#undef REDUCTION_OF_GROUPS
    ;

/* The rows of replica_groups, and where each replica stands. */
typedef struct groups {
  size_t count;
  size_t sizes[REPLICAS_MAX];
  size_t ids[REPLICAS_MAX][REPLICAS_MAX];
  size_t replicas;
  size_t row_of[REPLICAS_MAX];
  size_t place_of[REPLICAS_MAX];
} groups_t;

/* What goes into the result of a replica, in order, and which part of it the replica gets. */
typedef struct share {
  size_t count;
  size_t members[MEMBERS_MAX];
  size_t part;
} share_t;

/* ---- Hypotheses ------------------------------------------------------------------------------ */

/* Changes what a replica has by the specification. */
typedef void regroup_t(const groups_t *groups, size_t replica, share_t *inout);

static void take_row(const groups_t *groups, size_t row, share_t *inout) {
  inout->count = groups->sizes[row];
  memcpy(inout->members, groups->ids[row], inout->count * sizeof inout->members[0]);
}

static void by_columns(const groups_t *groups, size_t replica, share_t *inout) {
  const size_t column = groups->place_of[replica];
  inout->count = 0;
  for (size_t row = 0; row < groups->count; row++) {
    if (column >= groups->sizes[row]) continue;
    if (row == groups->row_of[replica]) inout->part = inout->count;
    inout->members[inout->count++] = groups->ids[row][column];
  }
}

static void as_one(const groups_t *groups, size_t replica, share_t *inout) {
  inout->count = groups->replicas;
  for (size_t i = 0; i < inout->count; i++) inout->members[i] = i;
  inout->part = replica;
}

/* As if each group had the replicas that follow one another. */
static void by_number(const groups_t *groups, size_t replica, share_t *inout) {
  size_t first = 0, row = 0;
  while (first + groups->sizes[row] <= replica) first += groups->sizes[row++];
  inout->count = groups->sizes[row];
  for (size_t i = 0; i < inout->count; i++) inout->members[i] = first + i;
  inout->part = replica - first;
}

/* The members of the group at the place that the replica's number has in the list of all. */
static void by_place(const groups_t *groups, size_t replica, share_t *inout) {
  size_t first = 0, row = 0;
  while (first + groups->sizes[row] <= replica) first += groups->sizes[row++];
  take_row(groups, row, inout);
  inout->part = replica - first;
}

static void next_group(const groups_t *groups, size_t replica, share_t *inout) {
  take_row(groups, (groups->row_of[replica] + 1) % groups->count, inout);
}

static void without_last(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  if (inout->count > 1) inout->count--;
}

static void without_first(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  if (inout->count < 2) return;
  inout->count--;
  memmove(inout->members, inout->members + 1, inout->count * sizeof inout->members[0]);
}

static void without_own(const groups_t *groups, size_t replica, share_t *inout) {
  const size_t place = groups->place_of[replica];
  if (inout->count < 2) return;
  inout->count--;
  memmove(inout->members + place, inout->members + place + 1,
          (inout->count - place) * sizeof inout->members[0]);
}

static void own_twice(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  inout->members[inout->count++] = replica;
}

static void first_twice(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->members[inout->count++] = inout->members[0];
}

static void last_twice(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  const size_t last = inout->members[inout->count - 1];
  inout->members[inout->count++] = last;
}

static void only_first(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->count = 1;
}

static void only_last(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->members[0] = inout->members[inout->count - 1];
  inout->count = 1;
}

static void only_own(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  inout->members[0] = replica;
  inout->count = 1;
}

static void first_part(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->part = 0;
}

static void next_part(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->part = (inout->part + 1) % inout->count;
}

static void part_before(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->part = (inout->part + inout->count - 1) % inout->count;
}

static void parts_backward(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  (void)replica;
  inout->part = inout->count - 1 - inout->part;
}

static void part_of_number(const groups_t *groups, size_t replica, share_t *inout) {
  (void)groups;
  inout->part = replica % inout->count;
}

static const struct {
  regroup_t *regroup;
  const char *words;
} hypotheses[] = {
    {by_columns, "reduces the columns of replica_groups"},
    {as_one, "reduces all replicas as one group"},
    {by_number, "takes the replicas that follow one another for a group"},
    {by_place, "takes a replica's number for its place in replica_groups"},
    {next_group, "takes the next group's replicas"},
    {without_last, "leaves out the last replica of a group"},
    {without_first, "leaves out the first replica of a group"},
    {without_own, "leaves out the replica's own operand"},
    {own_twice, "takes the replica's own operand twice"},
    {first_twice, "takes the first replica of a group twice"},
    {last_twice, "takes the last replica of a group twice"},
    {only_first, "takes the first replica of a group alone"},
    {only_last, "takes the last replica of a group alone"},
    {only_own, "takes the replica's own operand alone"},
    {first_part, "gives each replica the first part"},
    {next_part, "gives each replica the part of the next one"},
    {part_before, "gives each replica the part of the one before"},
    {parts_backward, "gives the replicas of a group the parts backward"},
    {part_of_number, "gives each replica the part of its number"},
};

/* ---- The groups ------------------------------------------------------------------------------ */

static bool add_member(groups_t *groups, size_t row, size_t id) {
  if (id >= REPLICAS_MAX || groups->sizes[row] == REPLICAS_MAX) return false;
  groups->row_of[id] = row;
  groups->place_of[id] = groups->sizes[row];
  groups->ids[row][groups->sizes[row]++] = id;
  groups->replicas++;
  return true;
}

/* The value of replica_groups in a text of attributes; false if there is none, or too large. */
static bool read_rows(const char *attributes, groups_t *out_groups) {
  const char *text = strstr(attributes, "replica_groups=[");
  *out_groups = (groups_t){.count = 0};
  if (text == NULL) return false;
  int depth = 0;
  for (text += strlen("replica_groups="); *text != '\0' && *text != ' ';) {
    if (*text == '[' && ++depth == 2 && out_groups->count++ == REPLICAS_MAX) return false;
    if (*text == ']') depth--;
    if (!g_ascii_isdigit(*text) && *text != '-') {
      text++;
      continue;
    }
    char *end = NULL;
    const int64_t id = g_ascii_strtoll(text, &end, 10);
    if (end == text || out_groups->count == 0) return false;
    bool fills_up = id < 0; /* A shorter row. */
    if (!fills_up && !add_member(out_groups, out_groups->count - 1, (size_t)id)) return false;
    text = end;
  }
  return out_groups->replicas > 0;
}

static int64_t number_of(const char *attributes, const char *key) {
  const char *text = strstr(attributes, key);
  return text == NULL ? 0 : g_ascii_strtoll(text + strlen(key), NULL, 10);
}

/* The groups of processes, of which each replica has one for each partition: in groups of their
 * own, or all in one. */
static bool read_groups(const char *attributes, groups_t *out_groups) {
  groups_t rows;
  if (!read_rows(attributes, &rows)) return false;
  const size_t partitions = (size_t)MAX(number_of(attributes, " num_partitions="), 1);
  const bool has_channel = number_of(attributes, " channel_id=") > 0;
  const bool are_processes = strstr(attributes, " use_global_device_ids=true") != NULL;
  *out_groups = rows;
  if (partitions == 1 || are_processes) return true;
  *out_groups = (groups_t){.count = has_channel ? rows.count : rows.count * partitions};
  if (out_groups->count > REPLICAS_MAX) return false;
  for (size_t row = 0; row < rows.count; row++) {
    for (size_t partition = 0; partition < partitions; partition++) {
      for (size_t i = 0; i < rows.sizes[row]; i++) {
        size_t group = has_channel ? row : row * partitions + partition;
        if (!add_member(out_groups, group, rows.ids[row][i] * partitions + partition)) return false;
      }
    }
  }
  return true;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* An all_reduce of so many replicas with the operand's and the result's types and the program's
 * body; false if there is none. */
static bool make_program(const solver_t *solver, const char *attributes, size_t members,
                         program_t *out_program) {
  const program_t *program = &solver->question->instance->program;
  g_autoptr(GString) line = g_string_new(reduction);
  g_string_append(line, " replica_groups=[[");
  for (size_t i = 0; i < members; i++) g_string_append_printf(line, "%s%zu", i > 0 ? "," : "", i);
  g_string_append(line, "]]");
  g_auto(GStrv) words = g_strsplit(attributes, " ", -1);
  for (char **word = words; *word != NULL; word++) {
    if (g_str_has_prefix(*word, "body=")) g_string_append_printf(line, " %s", *word);
  }
  type_t operand = program->operands[solver->verdict->result];
  type_t result = operand;
  operand.dims[0] = (int64_t)members;
  result.element = program->results[solver->verdict->result].element;
  result.quantization = program->results[solver->verdict->result].quantization;
  result.dims[0] = (int64_t)members;
  g_string_append_c(line, ' ');
  type_print(&operand, line);
  g_string_append(line, " -> ");
  type_print(&result, line);
  failure_t ignored;
  status_t status = program_parse(str_from(line->str), solver->arena, out_program, NULL, &ignored);
  return status == STATUS_OK && program_broken(out_program) == NULL;
}

/* The dimension of the whole result along which each replica gets a part, or 0: it gets all. */
static size_t scattered_dimension(const program_t *program, const char *attributes) {
  const char *text = strstr(attributes, "scatter_dimension=");
  if (text == NULL) return 0;
  const int64_t dimension = g_ascii_strtoll(text + strlen("scatter_dimension="), NULL, 10);
  return dimension >= 0 && dimension + 1 < program->operands[0].rank ? (size_t)dimension + 1 : 0;
}

/* Where each element of a replica's result stands in what its group has, of which the first replica
 * of the case has a copy; false if it lies beyond. */
static bool find_places(const type_t *whole, const type_t *part_type, size_t scattered, size_t part,
                        size_t *out_places) {
  size_t count = 1;
  for (uint32_t i = 1; i < part_type->rank; i++) count *= (size_t)part_type->dims[i];
  for (size_t at = 0; at < count; at++) {
    size_t rest = at, place = 0, stride = 1;
    for (uint32_t dim = part_type->rank; dim-- > 1;) {
      size_t index = rest % (size_t)part_type->dims[dim];
      rest /= (size_t)part_type->dims[dim];
      if (dim == scattered) {
        size_t parts = MAX((size_t)(whole->dims[dim] / part_type->dims[dim]), 1);
        index += part % parts * (size_t)part_type->dims[dim];
      }
      if (index >= (size_t)whole->dims[dim]) return false;
      place += index * stride;
      stride *= (size_t)whole->dims[dim];
    }
    out_places[at] = place;
  }
  return true;
}

/* The case of one replica. */
static bool make_row(solver_t *solver, const char *attributes, const share_t *share,
                     change_row_t *out_row) {
  const case_t *instance = solver->question->instance;
  const uint32_t which = solver->verdict->result;
  const type_t *part_type = &instance->program.results[which];
  program_t program;
  if (!make_program(solver, attributes, share->count, &program)) return false;
  case_t *changed = ARENA_NEW_ARRAY(solver->arena, case_t, 1);
  *changed = case_make(solver->arena, &program);
  const size_t bytes = type_bytes(&program.operands[0]) / share->count;
  for (size_t i = 0; i < share->count; i++) {
    memcpy(changed->operands[0].data + i * bytes,
           instance->operands[which].data + share->members[i] * bytes, bytes);
  }
  out_row->instance = changed;
  out_row->result = tensor_make(solver->arena, &program.results[0]);
  memset(out_row->result.data, 0, type_bytes(&program.results[0]));
  size_t *places = ARENA_NEW_ARRAY(solver->arena, size_t, type_element_count(part_type) + 1);
  out_row->places = places;
  return find_places(&program.results[0], part_type,
                     scattered_dimension(&instance->program, attributes), share->part, places);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void test_hypothesis_of(solver_t *solver, const groups_t *groups, const char *attributes,
                               size_t which, found_causes_t *found) {
  const type_t *result = &solver->question->instance->program.results[solver->verdict->result];
  change_row_t *rows = ARENA_NEW_ARRAY(solver->arena, change_row_t, groups->replicas);
  bool is_changed = false;
  for (size_t replica = 0; replica < groups->replicas; replica++) {
    share_t share = {.part = groups->place_of[replica]};
    take_row(groups, groups->row_of[replica], &share);
    const share_t before = share;
    hypotheses[which].regroup(groups, replica, &share);
    is_changed |= share.count != before.count || share.part != before.part ||
                  memcmp(share.members, before.members, share.count * sizeof share.members[0]) != 0;
    if (!make_row(solver, attributes, &share, &rows[replica])) return;
  }
  if (!is_changed) return;
  const change_t change = {.cause = CAUSE_other_groups,
                           .key = hypotheses[which].words,
                           .instance = solver->question->instance,
                           .rows = rows,
                           .row_elements = type_element_count(result) / groups->replicas,
                           .tried = G_N_ELEMENTS(hypotheses)};
  change_test(solver, &change, hypotheses[which].words, found);
}

void change_groups(solver_t *solver, found_causes_t *found) {
  const program_t *program = &solver->question->instance->program;
  const op_t *all_reduce = op_find(str_from(reduction));
  g_autoptr(GString) attributes = g_string_new(NULL);
  if (!solver_tests(solver, CAUSE_other_groups) || program->op->attribute_rows == NULL) return;
  program_print_attributes(program, attributes);
  groups_t groups;
  if (!read_groups(attributes->str, &groups) || all_reduce == NULL) return;
  const type_t *operand = &program->operands[solver->verdict->result];
  if (operand->rank == 0 || operand->dims[0] != (int64_t)groups.replicas) return;
  solver_t other = *solver;
  cause_question_t question = *solver->question;
  question.oracle = oracle_find(all_reduce);
  other.question = &question;
  for (size_t i = 0; i < G_N_ELEMENTS(hypotheses); i++) {
    const change_t change = {.cause = CAUSE_other_groups, .key = hypotheses[i].words};
    arena_mark_t mark = arena_mark(solver->arena);
    if (change_is_wanted(&other, &change)) {
      test_hypothesis_of(&other, &groups, attributes->str, i, found);
    }
    arena_rewind(solver->arena, mark);
  }
  solver->asks = other.asks;
  solver->status = other.status;
  solver->failure = other.failure;
}
