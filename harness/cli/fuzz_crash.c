#include "harness/cli/fuzz_crash.h"

#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "harness/base/hash.h"
#include "harness/cli/cli.h"

enum {
  TICK_SECONDS = 10,
  HANG_TICKS = 6,
  TEXT_BYTES = 4096,
  STACK_BYTES = 1 << 16, /* For handlers: the stack itself may have overflowed. */
};

/* A signal handler has no context argument. */
static struct {
  char folder[TEXT_BYTES];
  char executors[TEXT_BYTES];
  const uint8_t *data; /* NULL outside of a case. */
  size_t size;
  volatile sig_atomic_t ticks;             /* Within the present case. */
  _Alignas(64) uint8_t stack[STACK_BYTES]; /* As AddressSanitizer wants it. */
} crash;

static void write_all(int file, const void *data, size_t size) {
  const uint8_t *rest = (const uint8_t *)data;
  while (size > 0) {
    ssize_t count = write(file, rest, size);
    if (count <= 0) return;
    rest += count;
    size -= (size_t)count;
  }
}

/* What it calls is safe in a signal handler but for snprintf(), which allocates nothing for strings
 * and numbers; the process is lost anyhow. */
G_GNUC_NORETURN static void end_process(const char *what, const char *how) {
  char text[3 * TEXT_BYTES];
  if (crash.data == NULL) {
    int length = snprintf(text, sizeof text, "assay: %s outside of a case: a bug in Assay\n", how);
    write_all(STDERR_FILENO, text, (size_t)length);
    _exit(EXIT_CODE_FAILED);
  }
  char path[TEXT_BYTES + 64];
  hash_text_t hash = hash_of(crash.data, crash.size);
  mkdir(crash.folder, 0777);
  snprintf(path, sizeof path, "%s/%s-%s", crash.folder, what, hash.text);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0) {
    write_all(file, crash.data, crash.size);
    write_all(file, "\n", 1);
    close(file);
  }
  int length =
      snprintf(text, sizeof text, "assay: %s in the case %s; `assay replay %s%s --isolate`\n", how,
               path, path, crash.executors);
  write_all(STDERR_FILENO, text, MIN((size_t)length, sizeof text - 1));
  _exit(EXIT_CODE_FAILED);
}

static void on_deadly_signal(int number) {
  char how[64];
  snprintf(how, sizeof how, "the program died of signal %d", number);
  end_process("crash", how);
}

static void on_tick(int number) {
  (void)number;
  if (crash.data == NULL || ++crash.ticks < HANG_TICKS) return;
  end_process("hang", "the program hung for a minute");
}

static void catch_signal(int number, void (*handler)(int number), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | flags};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void fuzz_crash_catch(const char *folder, const char *executors, bool watches_hangs) {
  g_strlcpy(crash.folder, folder, sizeof crash.folder);
  g_strlcpy(crash.executors, executors, sizeof crash.executors);
  const stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof crash.stack};
  sigaltstack(&stack, NULL);
  static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
  for (size_t i = 0; i < G_N_ELEMENTS(deadly); i++) {
    catch_signal(deadly[i], on_deadly_signal, (int)SA_RESETHAND);
  }
  if (!watches_hangs) return;
  catch_signal(SIGALRM, on_tick, SA_RESTART);
  const struct itimerval timer = {.it_interval = {.tv_sec = TICK_SECONDS},
                                  .it_value = {.tv_sec = TICK_SECONDS}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

void fuzz_crash_enter(const uint8_t *data, size_t size) {
  crash.ticks = 0;
  crash.size = size;
  crash.data = data;
}

void fuzz_crash_leave(void) { crash.data = NULL; }
