/* SPDX-License-Identifier: Apache-2.0 */
/* Hypotheses about whole cases: a faulty kernel computed another case right.  It read operands
 * elsewhere or as something else, had other attributes, was another op, put results elsewhere, or
 * changed them at the end.  The oracle of the changed case says what had to come.
 *
 * Nothing here knows a backend or a planted fault: each family lists changes that any op may
 * suffer, and the oracle refutes all that do not explain every element examined, which it never
 * does to the true one (theory.md, T256). */
#ifndef ASSAY_DIAGNOSE_CHANGE_CHANGE_H
#define ASSAY_DIAGNOSE_CHANGE_CHANGE_H

#include <glib.h>

#include "harness/diagnose/tests.h"

enum {
  CHANGE_ELEMENTS_MAX = 256, /* A case of larger tensors is not computed again for guesses. */
  CHANGE_SOURCES_MAX = 4,
};

/* Of a place of a result: a zero stands there. */
#define CHANGE_ZERO SIZE_MAX

/* What a value may have been before a last step made it what came; returns how many, at most
 * CHANGE_SOURCES_MAX. */
typedef size_t change_sources_t(const element_t *element, uint64_t bits,
                                uint64_t out_sources[CHANGE_SOURCES_MAX]);

/* What is known of a component that is computed. */
typedef enum computed {
  COMPUTED_NONE, /* The change is of no such case. */
  COMPUTED_BITS, /* These bits came. */
  COMPUTED_ANY,  /* Nothing: it tells for the change no more than against it. */
} computed_t;

typedef computed_t change_compute_t(const void *context, const case_t *instance, size_t component,
                                    uint64_t *out_bits);

/* What one index of the result's first dimension has instead. */
typedef struct change_row {
  const case_t *instance; /* Of one result. */
  tensor_t result;        /* Room for it. */
  const size_t *places;   /* For each element of the row: which element of that result it is. */
} change_row_t;

/* A case that was computed instead.  Borrowed; lives in the solver's arena. */
typedef struct change {
  cause_id_t cause;
  const char *key;       /* Names the change alike in all cases: no size of a case is in it. */
  const char *other_key; /* Another name: of the last of operands, of which there may be any number.
                          * NULL: there is none. */
  const case_t *instance;
  const contract_t *contract; /* Under which it is right: one that permits more; NULL: the
                               * question's. */
  bool is_of_numbers;         /* With a contract: shown by finite numbers alone. */
  const size_t *places;     /* For each element of the result the verdict is about: which element of
                             * the changed case's it is, or CHANGE_ZERO; NULL: the same. */
  const change_row_t *rows; /* Each index of the first dimension has a case of its own; NULL: there
                             * is but one case. */
  size_t row_elements;
  change_compute_t *compute; /* What came is compared with that, and no oracle asked; or NULL. */
  const void *context;       /* Of it. */
  change_sources_t *sources; /* NULL: what came is what was computed. */
  bool is_of_zeros;          /* It leaves zeros, as many faults do: these tell little. */
  size_t tried;              /* How many of its kind are tried: each costs evidence. */
} change_t;

/* Notes the cause with `detail` if the change explains all wrong elements examined and spares the
 * right ones.  The arena is left as it was. */
void change_test(solver_t *solver, const change_t *change, const char *detail,
                 found_causes_t *found);

/* Whether it is to be tested now: where a cause is established, or chosen, but the changes that
 * made it so are tried again.  Of the change, its cause and keys are read. */
bool change_is_wanted(const solver_t *solver, const change_t *change);

/* The families. */
void change_operands(solver_t *solver, found_causes_t *found);
void change_values(solver_t *solver, found_causes_t *found);
void change_places(solver_t *solver, found_causes_t *found);
void change_attributes(solver_t *solver, found_causes_t *found);
void change_ops(solver_t *solver, found_causes_t *found);
void change_scales(solver_t *solver, found_causes_t *found);
void change_groups(solver_t *solver, found_causes_t *found);
void change_functions(solver_t *solver, found_causes_t *found);
void change_storage(solver_t *solver, found_causes_t *found);
void change_picks(solver_t *solver, found_causes_t *found);
void change_starts(solver_t *solver, found_causes_t *found);
void change_indices(solver_t *solver, found_causes_t *found);
void change_padding(solver_t *solver, found_causes_t *found);
void change_permissions(solver_t *solver, found_causes_t *found);

/* Whether changes of the case are looked for: it is small, and shows more than zeros. */
bool change_can_tell(const solver_t *solver);

/* Which changes are tried for the next case; counts it as one that came.  What only signs of zeros
 * show is held against candidates alone, since it tells too little. */
change_scope_t change_scope_next(cause_support_t *support, bool is_of_zeros);

/* What cases of the question's kind said: what is added to, or what is read alone; NULL: nothing.
 */
const cause_support_t *change_support(const cause_question_t *question);

/* Whether a change with the key explains nearly all cases that were looked into. */
bool change_is_candidate(const cause_support_t *support, const char *key);

/* Counts a case of the program and the changes that explain it, of all that were to be tried. */
void change_count(cause_support_t *support, const program_t *program, const found_causes_t *found);

/* The change that is the cause of the case, as far as evidence suffices, or NULL; it is sure if no
 * other explains as many cases.  Without `support` the case stands alone. */
const found_change_t *change_choose(const cause_question_t *question, const found_causes_t *found,
                                    bool *out_is_sure);

/* Whether the cases of other classes name the change with the key, or any change. */
bool change_is_known(const cause_question_t *question, const char *key);
bool change_has_known(const cause_question_t *question);

/* Gives the contract the permissions that they name. */
void change_relax(const cause_question_t *question, contract_t *inout_contract);

/* Whether it explains all that is wrong and spares what is right; the arena is left as it was. */
bool change_explains_all(solver_t *solver, const found_change_t *change);

/* Appends what else explains the case: "; or other-op". */
void change_list_rivals(const found_causes_t *found, const found_change_t *chosen,
                        GString *out_text);

/* Whether operands of the program are start indices. */
bool change_has_starts(const program_t *program);

/* All of them. */
void test_changes(solver_t *solver, found_causes_t *found);

#endif
