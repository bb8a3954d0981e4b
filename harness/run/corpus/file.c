/* SPDX-License-Identifier: Apache-2.0 */
/* Parser and canonical printer of corpus files. One pass reads lines into blocks, checks cases and
 * result bits, and notes every change that the canonical text would make. */
#include "harness/run/corpus/file.h"

#include <string.h>

#include "harness/model/op.h"

typedef struct corpus_block {
  GPtrArray *comments; /* char * */
  GPtrArray *cases;    /* corpus_case_t *, owned. */
} corpus_block_t;

/* The kinds of results, in canonical order. */
static const char *const result_kinds[] = {"=", "=?", "=!", "=!wide", "=!backend"};

/* Where the reader is. */
typedef struct corpus_reader {
  const char *path;
  size_t line_number;
  corpus_file_t *file;
  corpus_block_t *block;  /* The present one; NULL between blocks. */
  corpus_case_t *present; /* The case that results belong to; NULL before the first. */
  program_t program;      /* Of that case, in the arena. */
  arena_t arena;
} corpus_reader_t;

static void free_case(gpointer data) {
  corpus_case_t *entry = data;
  g_free(entry->line);
  g_ptr_array_unref(entry->results);
  g_free(entry);
}

static void free_block(gpointer data) {
  corpus_block_t *block = data;
  g_ptr_array_unref(block->comments);
  g_ptr_array_unref(block->cases);
  g_free(block);
}

void corpus_file_deinit(corpus_file_t *file) {
  g_ptr_array_unref(file->blocks);
  g_ptr_array_unref(file->cases);
  g_ptr_array_unref(file->changes);
}

G_GNUC_PRINTF(2, 3)
static void note_change(corpus_reader_t *reader, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_ptr_array_add(reader->file->changes,
                  g_strdup_printf("%s:%zu: %s", reader->path, reader->line_number, what));
  g_free(what);
}

/* Puts the place before what is wrong. */
static status_t fail_here(const corpus_reader_t *reader, const failure_t *reason,
                          failure_t *error) {
  size_t column = reason->column == 0 ? 1 : reason->column;
  return status_fail(error, STATUS_INVALID, "%.200s:%zu:%zu: %.250s", reader->path,
                     reader->line_number, column, reason->text);
}

static void begin_block(corpus_reader_t *reader) {
  corpus_block_t *block = g_new(corpus_block_t, 1);
  block->comments = g_ptr_array_new_with_free_func(g_free);
  block->cases = g_ptr_array_new_with_free_func(free_case);
  g_ptr_array_add(reader->file->blocks, block);
  reader->block = block;
}

static void read_comment(corpus_reader_t *reader, const char *line) {
  bool follows_case = reader->block != NULL && reader->block->cases->len > 0;
  if (follows_case) note_change(reader, "an empty line goes before this comment");
  if (reader->block == NULL || follows_case) begin_block(reader);
  g_ptr_array_add(reader->block->comments, g_strdup(line));
}

/* The case of the line in the present block, or NULL. */
static corpus_case_t *find_in_block(const corpus_reader_t *reader, const char *line) {
  for (guint i = 0; reader->block != NULL && i < reader->block->cases->len; i++) {
    corpus_case_t *entry = g_ptr_array_index(reader->block->cases, i);
    if (strcmp(entry->line, line) == 0) return entry;
  }
  return NULL;
}

static status_t read_case(corpus_reader_t *reader, const char *line, failure_t *error) {
  arena_reset(&reader->arena);
  case_t instance;
  failure_t reason = {0};
  if (case_parse(str_from(line), &reader->arena, &instance, NULL, &reason) != STATUS_OK) {
    return fail_here(reader, &reason, error);
  }
  reader->program = instance.program;
  reader->present = find_in_block(reader, line);
  if (reader->present != NULL) {
    note_change(reader, "the case of line %zu again: joined there", reader->present->line_number);
    return STATUS_OK;
  }
  if (reader->block == NULL) begin_block(reader);
  corpus_case_t *entry = g_new(corpus_case_t, 1);
  *entry = (corpus_case_t){.line = g_strdup(line),
                           .op = instance.program.op->name,
                           .line_number = reader->line_number,
                           .results = g_ptr_array_new_with_free_func(g_free)};
  g_ptr_array_add(reader->block->cases, entry);
  reader->present = entry;
  return STATUS_OK;
}

static size_t kind_of(const char *line) {
  size_t size = strcspn(line, " ");
  for (size_t kind = 0; kind < G_N_ELEMENTS(result_kinds); kind++) {
    bool is_it = strlen(result_kinds[kind]) == size && memcmp(line, result_kinds[kind], size) == 0;
    if (is_it) return kind;
  }
  return G_N_ELEMENTS(result_kinds);
}

static const char *bits_of(const char *line) { return line + strcspn(line, " "); }

/* The bits are those of results of the present program. */
static status_t check_bits(corpus_reader_t *reader, const char *line, failure_t *error) {
  const program_t *program = &reader->program;
  failure_t reason = {0};
  scan_t scan = scan_make(str_from(line));
  scan_until(&scan, " ");
  arena_mark_t mark = arena_mark(&reader->arena);
  status_t status = scan_expect(&scan, " ", &reason);
  for (uint32_t r = 0; r < program->result_count && status == STATUS_OK; r++) {
    tensor_t tensor;
    if (r > 0) status = scan_expect(&scan, " : ", &reason);
    if (status != STATUS_OK) break;
    status = tensor_parse_data(&scan, &program->results[r], &reader->arena, &tensor, &reason);
  }
  if (status == STATUS_OK && !scan_at_end(&scan)) {
    status = scan_fail_expecting(&scan, &reason, "the end of the line");
  }
  arena_rewind(&reader->arena, mark);
  return status == STATUS_OK ? STATUS_OK : fail_here(reader, &reason, error);
}

/* What is said of the same case elsewhere is not the contrary. */
static status_t check_against(const corpus_reader_t *reader, const GPtrArray *results,
                              const char *line, failure_t *error) {
  size_t kind = kind_of(line);
  for (guint i = 0; i < results->len; i++) {
    const char *other = g_ptr_array_index(results, i);
    bool is_same = strcmp(bits_of(other), bits_of(line)) == 0;
    bool are_both_only = kind == 0 && kind_of(other) == 0;
    if (is_same ? kind_of(other) == kind : !are_both_only) continue;
    failure_t reason = {0};
    status_fail(&reason, STATUS_INVALID, "contradicts another result of the case: %.150s", other);
    return fail_here(reader, &reason, error);
  }
  return STATUS_OK;
}

static bool has_result(const GPtrArray *results, const char *line) {
  for (guint i = 0; i < results->len; i++) {
    if (strcmp(g_ptr_array_index(results, i), line) == 0) return true;
  }
  return false;
}

static status_t read_result(corpus_reader_t *reader, const char *line, failure_t *error) {
  failure_t reason = {0};
  size_t kind = kind_of(line);
  if (kind == G_N_ELEMENTS(result_kinds)) {
    status_fail(&reason, STATUS_INVALID,
                "a result begins with =, =?, =!, =!wide or =!backend and a blank");
    return fail_here(reader, &reason, error);
  }
  if (reader->present == NULL) {
    status_fail(&reason, STATUS_INVALID, "a result without a case before it");
    return fail_here(reader, &reason, error);
  }
  STATUS_TRY(check_bits(reader, line, error));
  GPtrArray *results = reader->present->results;
  STATUS_TRY(check_against(reader, results, line, error));
  if (has_result(results, line)) {
    note_change(reader, "a result that stands already: left out");
    return STATUS_OK;
  }
  guint place = 0;
  while (place < results->len && kind_of(g_ptr_array_index(results, place)) <= kind) place++;
  if (place < results->len) note_change(reader, "goes before results of a later kind");
  g_ptr_array_insert(results, (gint)place, g_strdup(line));
  return STATUS_OK;
}

/* One line, which is changed: blanks at its ends are cut off. */
static status_t read_line(corpus_reader_t *reader, char *line, failure_t *error) {
  size_t size = strlen(line);
  g_strstrip(line);
  if (strlen(line) != size) note_change(reader, "blanks at the ends of the line");
  switch (line[0]) {
    case '\0':
      reader->block = NULL;
      return STATUS_OK;
    case '#':
      read_comment(reader, line);
      return STATUS_OK;
    case '=':
      return read_result(reader, line, error);
    default:
      return read_case(reader, line, error);
  }
}

static status_t read_lines(corpus_reader_t *reader, char *const *lines, failure_t *error) {
  bool was_empty = true; /* Nothing goes before the first block. */
  for (size_t i = 0; lines[i] != NULL; i++) {
    if (lines[i + 1] == NULL && lines[i][0] == '\0') break; /* Behind the last newline. */
    reader->line_number = i + 1;
    STATUS_TRY(read_line(reader, lines[i], error));
    bool is_empty = lines[i][0] == '\0';
    bool is_last = lines[i + 1] == NULL || (lines[i + 2] == NULL && lines[i + 1][0] == '\0');
    if (is_empty && (was_empty || is_last)) note_change(reader, "an empty line too many");
    if (lines[i + 1] == NULL) note_change(reader, "the last line lacks its newline");
    was_empty = is_empty;
  }
  return STATUS_OK;
}

/* A case may stand in several blocks, each with a comment on other results; where it says nothing
 * new it goes. */
static status_t check_repeated(corpus_reader_t *reader, corpus_case_t *entry,
                               const corpus_case_t *first, bool *out_is_needless,
                               failure_t *error) {
  reader->line_number = entry->line_number;
  *out_is_needless = true;
  for (guint i = 0; i < entry->results->len; i++) {
    const char *line = g_ptr_array_index(entry->results, i);
    STATUS_TRY(check_against(reader, first->results, line, error));
    if (!has_result(first->results, line)) *out_is_needless = false;
  }
  return STATUS_OK;
}

static status_t collect_cases(corpus_reader_t *reader, GHashTable *places, failure_t *error) {
  corpus_file_t *file = reader->file;
  for (guint b = 0; b < file->blocks->len; b++) {
    corpus_block_t *block = g_ptr_array_index(file->blocks, b);
    for (guint c = 0; c < block->cases->len;) {
      corpus_case_t *entry = g_ptr_array_index(block->cases, c);
      const corpus_case_t *first = g_hash_table_lookup(places, entry->line);
      bool is_needless = false;
      if (first != NULL) STATUS_TRY(check_repeated(reader, entry, first, &is_needless, error));
      if (is_needless) {
        note_change(reader, "says nothing that line %zu does not: left out", first->line_number);
        g_ptr_array_remove_index(block->cases, c);
        continue;
      }
      if (first == NULL) g_hash_table_insert(places, entry->line, entry);
      g_ptr_array_add(file->cases, entry);
      c++;
    }
  }
  return STATUS_OK;
}

/* Blocks of nothing, since all was left out, go. */
static void drop_empty_blocks(corpus_file_t *file) {
  for (guint b = 0; b < file->blocks->len;) {
    const corpus_block_t *block = g_ptr_array_index(file->blocks, b);
    if (block->comments->len + block->cases->len == 0) {
      g_ptr_array_remove_index(file->blocks, b);
    } else {
      b++;
    }
  }
}

status_t corpus_file_parse(const char *path, const char *text, corpus_file_t *out_file,
                           failure_t *error) {
  corpus_file_t file = {.blocks = g_ptr_array_new_with_free_func(free_block),
                        .cases = g_ptr_array_new(),
                        .changes = g_ptr_array_new_with_free_func(g_free)};
  corpus_reader_t reader = {.path = path, .file = &file};
  arena_init(&reader.arena);
  char **lines = g_strsplit(text, "\n", -1);
  GHashTable *places = g_hash_table_new(g_str_hash, g_str_equal);
  status_t status = read_lines(&reader, lines, error);
  if (status == STATUS_OK) status = collect_cases(&reader, places, error);
  g_strfreev(lines);
  arena_deinit(&reader.arena);
  g_hash_table_destroy(places);
  if (status != STATUS_OK) {
    corpus_file_deinit(&file);
    return status;
  }
  drop_empty_blocks(&file);
  *out_file = file;
  return STATUS_OK;
}

status_t corpus_file_read(const char *path, corpus_file_t *out_file, failure_t *error) {
  g_autofree char *text = NULL;
  g_autoptr(GError) failure = NULL;
  gsize size = 0;
  if (!g_file_get_contents(path, &text, &size, &failure)) {
    return status_fail(error, STATUS_INVALID, "%.400s", failure->message);
  }
  if (strlen(text) != size) {
    return status_fail(error, STATUS_INVALID, "%.400s: is no text: it holds a zero byte", path);
  }
  return corpus_file_parse(path, text, out_file, error);
}

static void print_lines(const GPtrArray *lines, GString *out_text) {
  for (guint i = 0; i < lines->len; i++) {
    g_string_append_printf(out_text, "%s\n", (const char *)g_ptr_array_index(lines, i));
  }
}

void corpus_file_print(const corpus_file_t *file, GString *out_text) {
  bool is_first = true;
  for (guint b = 0; b < file->blocks->len; b++) {
    const corpus_block_t *block = g_ptr_array_index(file->blocks, b);
    if (!is_first) g_string_append_c(out_text, '\n');
    is_first = false;
    print_lines(block->comments, out_text);
    for (guint c = 0; c < block->cases->len; c++) {
      const corpus_case_t *entry = g_ptr_array_index(block->cases, c);
      g_string_append_printf(out_text, "%s\n", entry->line);
      print_lines(entry->results, out_text);
    }
  }
}
