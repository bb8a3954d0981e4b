#include "oracles/exact/sum_order.h"

#include "oracles/exact/schedule_hull.h"
#include "oracles/exact/schedule_set.h"

enum {
  SET_TERMS_MAX = 64,       /* Up to here the exact set is affordable; perf.md, section f. */
  HULL_WORK = 1 << 25,      /* Enough for 512 terms. */
  INIT_COUNT_EXACT_MAX = 4, /* More initial values are left to the any-order bound. */
};

bool sum_order_matters(size_t terms, const contract_t *contract, bool is_complex_part) {
  return terms >= 3 && !is_complex_part && contract->order == ORDER_IN_ORDER &&
         contract->accum_wider == ACCUM_WIDER_NO && contract->accum_rounding == ACCUM_ROUNDING_RN &&
         contract->ftz == FTZ_NONE;
}

bool sum_order_applies(const sum_question_t *question, const contract_t *contract) {
  return sum_order_matters(question->count + (question->has_init ? 1 : 0), contract,
                           question->is_complex_part);
}

/* The schedules of the question.  Zero initial values change nothing but the sign of a zero, which
 * the caller has judged. */
static schedules_t schedules_of(const sum_question_t *question, const contract_t *contract,
                                uint32_t init_count) {
  bool has_init = question->has_init && question->init != 0;
  return (schedules_t){
      .format = question->format,
      .count = question->count,
      .left = question->left,
      .right = question->right,
      .may_fuse = contract->fma == FMA_YES,
      .init = has_init ? question->init : 0,
      .init_min = has_init ? init_count : 0,
      .init_max = has_init ? init_count : 0,
  };
}

static status_t hull_admits(const schedules_t *schedules, double value, arena_t *arena,
                            bool *out_admits, error_t *error) {
  schedule_hull_t hull;
  STATUS_TRY(schedule_hull_make(schedules, HULL_WORK, arena, &hull, error));
  *out_admits = hull.low <= value && value <= hull.high;
  return STATUS_OK;
}

static status_t set_admits(const schedules_t *schedules, double value, arena_t *arena,
                           bool *out_admits, error_t *error) {
  STATUS_TRY(schedule_set_contains(schedules, value, SCHEDULE_SET_WORK, arena, out_admits, error));
  if (*out_admits || value != 0) return STATUS_OK;
  return schedule_set_contains(schedules, -value, SCHEDULE_SET_WORK, arena, out_admits, error);
}

status_t sum_order_admits(const sum_question_t *question, const contract_t *contract,
                          uint32_t init_count, uint64_t bits, arena_t *arena, bool *out_admits,
                          error_t *error) {
  schedules_t schedules = schedules_of(question, contract, init_count);
  *out_admits = true;
  if (schedules.count + schedules.init_max < 3) return STATUS_OK;
  if (schedules.init_max > INIT_COUNT_EXACT_MAX) return STATUS_OK;
  double value = format_to_double(question->format, bits);
  arena_mark_t mark = arena_mark(arena);
  status_t status = STATUS_UNDECIDED;
  if (schedules.count + schedules.init_max <= SET_TERMS_MAX) {
    status = set_admits(&schedules, value, arena, out_admits, error);
    arena_rewind(arena, mark);
  }
  if (status == STATUS_UNDECIDED) {
    status = hull_admits(&schedules, value, arena, out_admits, error);
    arena_rewind(arena, mark);
  }
  if (status == STATUS_UNDECIDED) { /* Too long for both: the any-order bound has held. */
    *out_admits = true;
    status = STATUS_OK;
  }
  return status;
}
