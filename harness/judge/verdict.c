#include "harness/judge/verdict.h"

const char *outcome_spelling(outcome_t outcome) {
  static const char *const spellings[OUTCOME_COUNT] = {
#define OUTCOME(name, spelling, summary) [OUTCOME_##name] = (spelling),
#include "harness/judge/outcomes.def"
#undef OUTCOME
  };
  return spellings[outcome];
}

const char *class_spelling(divergence_class_t class_) {
  static const char *const spellings[CLASS_COUNT] = {
#define CLASS(name, spelling, summary) [CLASS_##name] = (spelling),
#include "harness/judge/classes.def"
#undef CLASS
  };
  return spellings[class_];
}
