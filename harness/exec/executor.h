/* SPDX-License-Identifier: Apache-2.0 */
/* The handle on a backend under test.  Around every call it saves, sets and checks the
 * floating-point environment; beside every result it lays a pattern, and under it poison.
 *
 * An executor is named by text:
 *   dso:PATH?options      a shared object that exports assay_executor_query()
 *   pjrt:PATH?options     a PJRT plugin: harness/exec/pjrt/pjrt.h; or the name of one that is
 *                         installed: harness/exec/registry/pjrt_plugins.h
 *   openblas?options      a plugin, built from harness/exec/plugins/NAME_plugin.c
 *   proc:COMMAND          a worker process: harness/exec/workers/worker.md
 *   xla?options           a worker of ours that is installed: harness/exec/registry/registry.h
 *   model:..., canary:... builtin, from a table that the caller passes: harness/builtin/builtin.h
 *   steps:NAME            any of these, given modules step by step: transport/stepwise.h
 */
#ifndef ASSAY_EXEC_EXECUTOR_H
#define ASSAY_EXEC_EXECUTOR_H

#include "harness/exec/assay_executor.h"
#include "harness/exec/transport/outcome.h"
#include "harness/model/op.h"

typedef struct executor executor_t;
typedef struct executor_program executor_program_t; /* A compiled program. */

typedef struct call_memory call_memory_t; /* transport/call_memory.h */

typedef struct executor_options {
  bool isolate;              /* Host it in a process of its own (workers always are). */
  bool isolate_foreign;      /* The same of a shared object, which may do anything. */
  uint32_t timeout_ms;       /* Per call, when isolated; 0 means the default of 10 s. */
  uint64_t memory_bytes_max; /* Address space limit when isolated; 0 means none. */
  /* Tables of builtin executors: finds the table for a name such as "model:pairwise", and the
   * options text to open it with; NULL if there are none. */
  const assay_executor_t *(*find_builtin)(const char *name);
  const char *plugin_directory; /* Where NAME_plugin.so lies; NULL means beside the program. */
  const char *worker_directory; /* Where NAME_worker.py lies; NULL means the same. */
  /* Where calls of a backend in this process are noted, for who watches over the process, and by
   * which number; borrowed.  NULL: nobody does. */
  call_memory_t *memory;
  uint32_t number;
} executor_options_t;

/* Whether executor_open() would load code of others into this process. */
bool executor_lives_here(const char *name, const executor_options_t *options);

/* Opens the executor called `name`.  STATUS_INVALID for a name that cannot be right (with what to
 * write instead), STATUS_IO if it is not there or cannot start (with what to install or do). */
status_t executor_open(const char *name, const executor_options_t *options,
                       executor_t **out_executor, failure_t *error);

/* Closes what executor_shut() has not, and frees the executor; NULL is ignored. */
void executor_close(executor_t *executor);

/* Releases all programs and closes the backend; only what tells of the executor, and
 * executor_take_aftermath(), can be called afterwards. */
void executor_shut(executor_t *executor);

/* What went wrong when something was over: in release(), in close(), or when the backend was
 * unloaded.  No case failed, and yet the backend did. */
typedef struct executor_aftermath {
  executor_outcome_t outcome; /* EXECUTOR_OK: nothing. */
  bool is_of_program;         /* In release(); else the backend was closed. */
  char reason[192];
  char *program_line; /* Owned; the program that was released, or the last one; NULL: none was. */
} executor_aftermath_t;

/* Whether there is something to take. */
bool executor_has_aftermath(const executor_t *executor);

/* What went wrong first since the last call; the caller frees its line. */
executor_aftermath_t executor_take_aftermath(executor_t *executor);

/* Names of the plugins that are there, sorted, ended by NULL; freed with g_strfreev(). */
char **executor_plugins(const executor_options_t *options);

/* Whether pjrt:PATH is an executor here: not where Assay was built without PJRT's header. */
bool executor_has_pjrt(void);

/* As given to executor_open(); and as the backend says.  Valid until executor_close(). */
const char *executor_name(const executor_t *executor);
const char *executor_version(const executor_t *executor);
const char *executor_hardware(const executor_t *executor);

/* Whether it is a worker process: every call of it costs a round trip. */
bool executor_is_process(const executor_t *executor);

/* Whether the backend declares that it checks programs: others are not to be blamed for what they
 * do with one that breaks a constraint, nor to die of it. */
bool executor_validates(const executor_t *executor);

/* Whether the backend declares that compiling costs far more than running small data does. */
bool executor_compiling_is_dear(const executor_t *executor);

/* Whether the backend takes programs with sizes that are unknown when they are compiled; such a
 * program is one for executor_compile() at every size. */
bool executor_takes_dynamic(const executor_t *executor);

/* Whether the backend's declared target holds the program. */
executor_promise_t executor_promises(executor_t *executor, const program_t *program);

/* Compiles a program, or finds it compiled: handles are kept under the program's hash, the least
 * recently used are released.  *out_program is borrowed and valid until the next
 * executor_compile(). `out_reason`, of `reason_bytes`, receives one line unless the outcome is
 * EXECUTOR_OK. */
executor_outcome_t executor_compile(executor_t *executor, const program_t *program,
                                    executor_program_t **out_program, char *out_reason,
                                    size_t reason_bytes);

/* Releases every program, so that the next executor_compile() compiles anew. */
void executor_forget_programs(executor_t *executor);

/* What one execution showed, besides its results. */
typedef struct execution {
  executor_outcome_t outcome;
  bool wrote_out_of_bounds; /* The zone beside a result changed. */
  bool changed_environment; /* Rounding mode or flushing was not as before; it has been put back. */
  uint32_t bad_result;      /* Where wrote_out_of_bounds: which result. */
  char reason[192];         /* One line unless the outcome is EXECUTOR_OK. */
} execution_t;

/* Executes with results filled with `poison` beforehand; results are tensor_make()d by the caller.
 */
execution_t executor_execute(executor_t *executor, executor_program_t *program,
                             const tensor_t *operands, uint8_t poison, tensor_t *inout_results);

/* The implementation that the library chose, or "". */
const char *executor_implementation(executor_t *executor, executor_program_t *program);

/* True if loading the backend changed the floating-point environment (a library linked with -Ofast
 * does); it has been put back. */
bool executor_load_changed_environment(const executor_t *executor);

#endif
