/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/task/recorded.h"

#include "harness/cli/task/programs.h"
#include "harness/run/corpus/file.h"
#include "harness/run/corpus/folder.h"

void task_flags_add_recorded(task_flags_t *flags, arguments_t *arguments) {
  const GOptionEntry entries[] = {
      {"recorded", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->recorded,
       "Run the recorded cases of a file of the corpus, or of all of a folder; then draw, if "
       "--cases or --time says how much; may be given several times",
       "FILE|FOLDER"},
      G_OPTION_ENTRY_NULL};
  arguments_add(arguments, entries);
}

bool task_recorded_are_all(const task_flags_t *flags) {
  return flags->recorded != NULL && flags->cases == 0 && flags->draws == 0 && flags->time == NULL &&
         !task_programs_are_given(flags);
}

static void free_file(gpointer data) {
  corpus_file_deinit(data);
  g_free(data);
}

status_t task_recorded_open(task_t *task, failure_t *error) {
  if (task->flags->recorded == NULL) return STATUS_OK;
  if (task->flags->ops != NULL && task_recorded_are_all(task->flags)) {
    return status_fail(error, STATUS_INVALID,
                       "--op says what is drawn, and --recorded alone draws nothing; leave it out, "
                       "or add --cases or --time");
  }
  task->recorded = g_ptr_array_new_with_free_func(free_file);
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (char **path = task->flags->recorded; *path != NULL; path++) {
    STATUS_TRY(corpus_folder_find(*path, paths, error));
  }
  for (guint i = 0; i < paths->len; i++) {
    const char *path = g_ptr_array_index(paths, i);
    corpus_file_t file;
    STATUS_TRY(corpus_file_read(path, &file, error));
    g_ptr_array_add(task->recorded, g_memdup2(&file, sizeof file));
    if (file.cases->len == 0) {
      return status_fail(error, STATUS_INVALID, "%.400s: has no case", path);
    }
  }
  return STATUS_OK;
}

void task_recorded_close(task_t *task) {
  if (task->recorded != NULL) g_ptr_array_unref(task->recorded);
  task->recorded = NULL;
}

static status_t walk_line(task_t *task, const char *line, arena_t *arena, failure_t *error) {
  case_t instance;
  const char *broken;
  STATUS_TRY(case_parse(str_from(line), arena, &instance, &broken, error));
  const op_constraint_t *constraint = op_constraint_find(instance.program.op, broken);
  return session_walk(task->session, &instance, constraint, NULL, error);
}

static bool is_stopped(const task_t *task) {
  return task->options.stop != NULL && *task->options.stop != 0;
}

status_t task_recorded_walk(task_t *task, failure_t *error) {
  if (task->recorded == NULL) return STATUS_OK;
  arena_t arena;
  arena_init(&arena);
  status_t status = STATUS_OK;
  for (guint i = 0; i < task->recorded->len && status == STATUS_OK; i++) {
    const corpus_file_t *file = g_ptr_array_index(task->recorded, i);
    for (guint k = 0; k < file->cases->len && status == STATUS_OK && !is_stopped(task); k++) {
      const corpus_case_t *entry = g_ptr_array_index(file->cases, k);
      arena_reset(&arena);
      status = walk_line(task, entry->line, &arena, error);
    }
  }
  arena_deinit(&arena);
  return status == STATUS_OK ? session_tell(task->session, error) : status;
}
