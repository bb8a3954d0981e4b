/* SPDX-License-Identifier: Apache-2.0 */
/* The child process of an isolated backend: starting, talking with a time limit, ending. */
#ifndef ASSAY_EXEC_CHILD_SPAWN_H
#define ASSAY_EXEC_CHILD_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/base/status.h"
#include "harness/exec/assay_executor.h"
#include "harness/exec/child/end.h"

enum { LAST_WORDS_BYTES = 4096 };

typedef struct isolate_process {
  pid_t pid;             /* Of its guard (child/guard.h); 0 if none runs. */
  int channel;           /* Our end of the socket. */
  int words;             /* What the child writes to stdout and stderr. */
  uint64_t memory_kills; /* Of the kernel, before the child was started. */
  char last_words[LAST_WORDS_BYTES];
  size_t last_words_size;
} isolate_process_t;

typedef enum isolate_talk {
  ISOLATE_TALK_OK,
  ISOLATE_TALK_ENDED, /* The other side is gone. */
  ISOLATE_TALK_LATE,
} isolate_talk_t;

/* Forks; the child calls `serve` with its end of the socket and never returns from it.  It and all
 * that it starts die with this thread; it has default signal handlers, no other file open, writes
 * no core file, and may map memory_bytes_max bytes (0: any number) beyond what is mapped now. */
status_t isolate_process_start(isolate_process_t *process, uint64_t memory_bytes_max,
                               void (*serve)(int channel, const void *context), const void *context,
                               failure_t *error);

/* Moves exactly `size` bytes before `deadline` (g_get_monotonic_time()), and keeps the last words
 * of the child meanwhile. */
isolate_talk_t isolate_process_send(isolate_process_t *process, const void *data, size_t size,
                                    int64_t deadline);
isolate_talk_t isolate_process_receive(isolate_process_t *process, void *data, size_t size,
                                       int64_t deadline);

/* Receives what is there, `capacity` bytes at most and one at least. */
isolate_talk_t isolate_process_receive_some(isolate_process_t *process, void *data, size_t capacity,
                                            size_t *out_size, int64_t deadline);

/* Forgets what the child has said so far. */
static inline void isolate_process_forget_words(isolate_process_t *process) {
  process->last_words_size = 0;
}

/* Ends the child if one runs, and all that it started, and says how it ended: "SIGSEGV", "exit
 * status 3"; "closed its connection" if it had to be killed.  Unless `kill_at_once`, waits a little
 * for it to go by itself, so that its own reason is seen.  The last words stay. */
process_end_t isolate_process_end(isolate_process_t *process, bool kill_at_once);

/* "SIGSEGV in execute(), after it wrote: ...": the end of the last words, as far as it fits. */
void isolate_process_describe(const isolate_process_t *process, const char *how, const char *where,
                              assay_reason_t *reason);

#endif
