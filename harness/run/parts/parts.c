/* SPDX-License-Identifier: Apache-2.0 */
/* Hands out the parts of a case to threads, and adds up in order what these find. */
#include "harness/run/parts/parts.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "harness/run/parts/part_sample.h"
#include "oracles/exact/thread_state.h"

enum {
  THREADS_MAX = 1024,
  /* Elements outside the fast sets that are decided one by one, of each part and of all, if those
   * are wrong; fewer of rows, each of which may take a tenth of a second.  Parts are judged in
   * waves, each twice as large as the one before, so that what is known of the waves before does
   * not depend on threads. */
  DECIDED_EACH = 1024,
  DECIDED_ENOUGH = 1024,
  ROWS_DECIDED_EACH = 16,
  ROWS_DECIDED_ENOUGH = 64,
  ROWS_GIVEN_UP_MAX = 8,      /* Parts whose rows take too long to ask about; then none is asked. */
  TELL_NANOSECONDS = 20000000 /* While the others still work. */
};

/* ---- A part ---------------------------------------------------------------------------------- */

/* What a thread hands over of a part: kept until the parts before it have come. */
typedef struct found {
  status_t status;
  failure_t failure;
  bool is_cut;
  part_finding_t finding;          /* Numbered as in the whole; its evidence is not kept. */
  GArray *wrong[CASE_RESULTS_MAX]; /* Components of the whole; NULL: none. */
} found_t;

static void found_free(found_t *found) {
  if (found == NULL) return;
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) {
    if (found->wrong[i] != NULL) g_array_unref(found->wrong[i]);
  }
  g_free(found->finding.algorithms);
  g_free(found);
}

/* A part and where it comes from. */
typedef struct part {
  const parts_question_t *question;
  cut_block_t block;
  cut_units_t units; /* None: it is the block, maybe that of one unit. */
  case_t instance;
  tensor_t results[CASE_RESULTS_MAX];
} part_t;

/* Units of a part: of a cut that joins none each is a part of its own. */
static size_t part_units(const parts_question_t *question) {
  return question->cut->joins_units ? question->part_units : 1;
}

size_t parts_count(const parts_question_t *question) {
  if (question->units == NULL) return question->cut->block_count;
  return (question->unit_count + part_units(question) - 1) / part_units(question);
}

static bool take_part(const parts_question_t *question, size_t number, arena_t *arena,
                      part_t *out_part) {
  *out_part = (part_t){.question = question};
  const cut_t *cut = question->cut;
  if (question->units == NULL || !cut->joins_units) {
    out_part->block = question->units == NULL ? cut_block(cut, number)
                                              : cut_unit_block(cut, question->units[number]);
    return cut_take_block(cut, &question->subject, &out_part->block, arena, &out_part->instance,
                          out_part->results);
  }
  const size_t first = number * part_units(question);
  out_part->units = (cut_units_t){question->units + first,
                                  MIN(question->unit_count - first, part_units(question))};
  return cut_take_units(question->cut, &question->subject, &out_part->units, arena,
                        &out_part->instance, out_part->results);
}

static size_t to_whole(const part_t *part, uint32_t result, size_t component) {
  const parts_question_t *question = part->question;
  const program_t *program = &question->subject.instance->program;
  if (part->units.count == 0) {
    return cut_block_to_whole(question->cut, &part->block, program, result, component);
  }
  return cut_units_to_whole(question->cut, &part->units, program, result, component);
}

/* Whether units are more than an element. */
static bool has_rows(const parts_question_t *question) {
  const program_t *program = &question->subject.instance->program;
  return cut_unit_components(question->cut, program) > program->results[0].element->components;
}

void parts_walk_init(const parts_question_t *question, size_t part, case_runner_t *out_walk) {
  const program_t *program = &question->subject.instance->program;
  case_runner_init(out_walk, question->contract, part + 1);
  out_walk->judges_all = true; /* Or by a sample of the whole. */
  out_walk->precision_due = 1;
  out_walk->whole_count = type_component_count(&program->results[0]);
  const size_t most = has_rows(question) ? ROWS_DECIDED_EACH : DECIDED_EACH;
  out_walk->decide_wrong_max = question->decides_all ? 0 : most;
}

static void renumber(const part_t *part, found_t *found) {
  part_finding_t *finding = &found->finding;
  wrong_element_t *worst = &finding->tally.worst;
  if (finding->tally.has_wrong) worst->component = to_whole(part, worst->result, worst->component);
  row_answer_t *rows = &finding->rows;
  const size_t parts = part->instance.program.results[0].element->components;
  for (size_t i = 0; i < rows->element_count; i++) {
    rows->elements[i] = to_whole(part, rows->result, rows->elements[i] * parts) / parts;
  }
  if (!rows->agrees) {
    rows->component = rows->elements[0];
    row_answer_describe(rows);
  }
  for (uint32_t r = 0; r < part->instance.program.result_count; r++) {
    const uint8_t *wrong = finding->evidence.is_judged ? finding->evidence.wrong[r] : NULL;
    const size_t count = type_component_count(&part->instance.program.results[r]);
    for (size_t i = 0; wrong != NULL && i < count; i++) {
      if (wrong[i] == 0) continue;
      if (found->wrong[r] == NULL) found->wrong[r] = g_array_new(FALSE, FALSE, sizeof(size_t));
      const size_t component = to_whole(part, r, i);
      g_array_append_val(found->wrong[r], component);
    }
  }
  finding->evidence = (evidence_t){.is_judged = false};
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* What the threads share: below the line by the lock. */
typedef struct sharing {
  const parts_question_t *question;
  const part_sample_t *sample;
  size_t count; /* Of parts. */
  size_t end;   /* Of this wave. */
  bool takes_for_wrong;
  bool skips_rows;
  atomic_size_t next;  /* The part that is handed out next. */
  atomic_bool is_over; /* Nothing that comes counts any more, or the caller wants an end. */
  pthread_mutex_t lock;
  pthread_cond_t has_come;
  /* --- */
  found_t **waiting; /* By part: come before its turn. */
  size_t added;
  size_t busy; /* Threads that may still hand over. */
  status_t status;
  failure_t failure;
  parts_finding_t *finding;
} sharing_t;

static void mark_wrong(sharing_t *sharing, const found_t *found) {
  const program_t *program = &sharing->question->subject.instance->program;
  for (uint32_t r = 0; r < program->result_count; r++) {
    if (found->wrong[r] == NULL) continue;
    uint8_t **wrong = &sharing->finding->wrong[r];
    if (*wrong == NULL) *wrong = (uint8_t *)g_malloc0(type_component_count(&program->results[r]));
    for (guint i = 0; i < found->wrong[r]->len; i++) {
      (*wrong)[g_array_index(found->wrong[r], size_t, i)] = 1;
    }
  }
}

/* What is the first to explain each part is the first to explain all; and what some part is
 * explained by none of, the whole is not either.  Of other parts nothing is told: formulas need not
 * nest. */
static void add_formula(const part_finding_t *part, bool is_first, parts_finding_t *total) {
  if (is_first) {
    total->asks_formula = part->asks_formula;
    total->has_formula = part->has_formula;
    total->formula = part->formula;
  } else if (!part->asks_formula || !total->asks_formula) {
    total->asks_formula = false;
  } else if (part->has_formula != total->has_formula || part->formula != total->formula) {
    total->is_formula_open |= part->has_formula && total->has_formula;
    total->has_formula &= part->has_formula;
  }
}

static void add_algorithms(const part_finding_t *part, bool is_first, parts_finding_t *total) {
  if (is_first || part->algorithms == NULL) {
    g_free(total->algorithms);
    total->algorithms = is_first ? g_strdup(part->algorithms) : NULL;
  } else if (total->algorithms != NULL) {
    total->algorithms = parts_common_names(total->algorithms, part->algorithms);
  }
}

static void add_found(sharing_t *sharing, const found_t *found) {
  parts_finding_t *total = sharing->finding;
  const part_finding_t *part = &found->finding;
  if (found->status != STATUS_OK || !found->is_cut) {
    sharing->status = found->status;
    sharing->failure = found->failure;
    total->is_cut &= found->is_cut;
    atomic_store(&sharing->is_over, true);
    return;
  }
  mark_wrong(sharing, found);
  judge_tally_add(&total->tally, &part->tally);
  const size_t rows_left = total->rows.rows_left + part->rows.rows_left;
  if (total->rows.agrees) total->rows = part->rows;
  total->rows_given_up += part->rows.agrees && part->rows.rows_left > 0 ? 1 : 0;
  total->rows.rows_left = rows_left;
  add_formula(part, sharing->added == 0, total);
  add_algorithms(part, sharing->added == 0, total);
  if (parts_settle(sharing->question, &total->tally)) atomic_store(&sharing->is_over, true);
}

/* Takes what a thread found of a part, and adds up all whose turn it is. */
static void hand_over(sharing_t *sharing, size_t number, found_t *found) {
  pthread_mutex_lock(&sharing->lock);
  sharing->waiting[number] = found;
  while (sharing->added < sharing->count && sharing->waiting[sharing->added] != NULL) {
    found_t *due = sharing->waiting[sharing->added];
    sharing->waiting[sharing->added] = NULL;
    bool counts = sharing->status == STATUS_OK && sharing->finding->is_cut;
    if (counts) add_found(sharing, due);
    sharing->added++;
    found_free(due);
  }
  pthread_mutex_unlock(&sharing->lock);
}

static bool is_over(void *context) {
  const sharing_t *sharing = (const sharing_t *)context;
  return atomic_load(&sharing->is_over);
}

static size_t count_units(const part_t *part) {
  if (part->units.count > 0) return part->units.count;
  const cut_t *cut = part->question->cut;
  size_t count = 1;
  for (uint32_t i = 0; i < cut->free_count; i++) {
    count *= (size_t)part->block.own.size[cut->free[i]];
  }
  return count;
}

static void judge_one(sharing_t *sharing, size_t number, arena_t *arena, found_t *found) {
  const parts_question_t *question = sharing->question;
  arena_reset(arena);
  part_t part;
  found->is_cut = take_part(question, number, arena, &part);
  if (!found->is_cut) return;
  case_runner_t walk;
  parts_walk_init(question, number, &walk);
  walk.takes_for_wrong = sharing->takes_for_wrong;
  found->finding.skips_rows = sharing->skips_rows;
  walk.interrupt = (case_runner_interrupt_t){is_over, sharing};
  const sample_t sample = part_sample_of(sharing->sample, number, &part.instance.program, arena);
  walk.sample = &sample;
  for (uint32_t i = 0; i < part.instance.program.result_count && part.units.count == 0; i++) {
    const type_t *type = &part.instance.program.results[i];
    walk.margins[i] = cut_margin(question->cut, &part.block, type, i, arena);
  }
  expectation_t expectation;
  failure_t *error = &found->failure;
  found->status = case_runner_expect(&walk, &part.instance, NULL, arena, &expectation, error);
  if (found->status == STATUS_OK) {
    found->status = judge_part(&walk, &expectation, part.results, &found->finding, error);
  }
  if (sharing->skips_rows) found->finding.rows.rows_left = count_units(&part);
  if (found->status == STATUS_OK) renumber(&part, found);
}

/* Parts until there are none, or somebody wants an end; the thread that asked tells about it. */
static void work(sharing_t *sharing, bool tells) {
  arena_t arena;
  arena_init(&arena);
  while (!atomic_load(&sharing->is_over)) {
    const size_t number = atomic_fetch_add(&sharing->next, 1);
    if (number >= sharing->end) break;
    found_t *found = g_new0(found_t, 1);
    judge_one(sharing, number, &arena, found);
    hand_over(sharing, number, found);
    const parts_question_t *question = sharing->question;
    double done = (double)number / (double)sharing->count;
    if (tells && question->tell != NULL && !question->tell(question->tell_context, done)) {
      atomic_store(&sharing->is_over, true);
    }
  }
  arena_deinit(&arena);
}

/* What all of Assay counts on, whatever the thread that asked has. */
static void enter_thread(void) {
  fesetenv(FE_DFL_ENV);
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* Of the C library, for ever. */
}

static void *work_in_thread(void *context) {
  sharing_t *sharing = (sharing_t *)context;
  enter_thread();
  work(sharing, false);
  exact_state_forget();
  pthread_mutex_lock(&sharing->lock);
  sharing->busy--;
  pthread_cond_signal(&sharing->has_come);
  pthread_mutex_unlock(&sharing->lock);
  return NULL;
}

/* Signals are the caller's threads' to take.  Fewer threads than wanted do the work as well. */
static size_t start_threads(sharing_t *sharing, pthread_t *out_threads, size_t count) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  size_t started = 0;
  pthread_mutex_lock(&sharing->lock);
  while (started < count &&
         pthread_create(&out_threads[started], NULL, work_in_thread, sharing) == 0) {
    started++;
  }
  sharing->busy = started;
  pthread_mutex_unlock(&sharing->lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

/* Until the other threads have handed over all; the caller is told meanwhile. */
static void wait_for_others(sharing_t *sharing) {
  const parts_question_t *question = sharing->question;
  pthread_mutex_lock(&sharing->lock);
  while (sharing->busy > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TELL_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&sharing->has_come, &sharing->lock, &until);
    double done = (double)sharing->added / (double)sharing->count;
    pthread_mutex_unlock(&sharing->lock);
    if (question->tell != NULL && !question->tell(question->tell_context, done)) {
      atomic_store(&sharing->is_over, true);
    }
    pthread_mutex_lock(&sharing->lock);
  }
  pthread_mutex_unlock(&sharing->lock);
}

static void share(sharing_t *sharing) {
  const size_t parts = sharing->end - atomic_load(&sharing->next);
  const size_t wanted = MIN(MIN(MAX(sharing->question->threads, 1), THREADS_MAX), parts);
  pthread_t *threads = g_new(pthread_t, wanted);
  const size_t started = start_threads(sharing, threads, wanted - 1);
  work(sharing, true);
  wait_for_others(sharing);
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  g_free(threads);
}

status_t parts_judge(const parts_question_t *question, parts_finding_t *out_finding,
                     failure_t *error) {
  *out_finding = (parts_finding_t){.is_cut = true, .rows = {.agrees = true}};
  const program_t *program = &question->subject.instance->program;
  part_sample_t sample = {.cut = question->cut, .program = program};
  if (question->units == NULL && !question->judges_all) {
    sample = part_sample_make(question->cut, program, question->seed);
  }
  sharing_t sharing = {.question = question,
                       .sample = &sample,
                       .count = parts_count(question),
                       .lock = PTHREAD_MUTEX_INITIALIZER,
                       .has_come = PTHREAD_COND_INITIALIZER,
                       .finding = out_finding};
  sharing.waiting = g_new0(found_t *, sharing.count);
  const size_t enough = has_rows(question) ? ROWS_DECIDED_ENOUGH : DECIDED_ENOUGH;
  for (size_t wave = 1; sharing.end < sharing.count; wave *= 2) {
    atomic_store(&sharing.next, sharing.end);
    sharing.end = MIN(sharing.end + wave, sharing.count);
    share(&sharing);
    if (atomic_load(&sharing.is_over)) break;
    const judge_tally_t *tally = &out_finding->tally;
    sharing.takes_for_wrong =
        !question->decides_all && !tally->has_outside_conforming && tally->outside_count >= enough;
    sharing.skips_rows = out_finding->rows_given_up >= ROWS_GIVEN_UP_MAX;
  }
  for (size_t i = 0; i < sharing.count; i++) found_free(sharing.waiting[i]);
  g_free(sharing.waiting);
  part_sample_clear(&sample);
  bool is_left = sharing.added < sharing.count && !parts_settle(question, &out_finding->tally);
  if (sharing.status == STATUS_OK && out_finding->is_cut && is_left) {
    return status_fail(error, STATUS_IO, "interrupted, as the caller asked");
  }
  if (sharing.status != STATUS_OK) *error = sharing.failure;
  return sharing.status;
}

void parts_finding_clear(parts_finding_t *finding) {
  for (uint32_t i = 0; i < CASE_RESULTS_MAX; i++) g_free(finding->wrong[i]);
  g_free(finding->algorithms);
}
