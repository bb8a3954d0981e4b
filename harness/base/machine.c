/* SPDX-License-Identifier: Apache-2.0 */
/* Reads /proc/cpuinfo, which has a line for each processor: the first that names a model is it. */
#include "harness/base/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Copies what follows the colon of "model name\t: AMD EPYC" without the blanks around it. */
static bool take_value(const char *line, const char *key, char *out, size_t out_bytes) {
  if (strncmp(line, key, strlen(key)) != 0) return false;
  const char *value = strchr(line, ':');
  if (value == NULL) return false;
  value += 1 + strspn(value + 1, " \t");
  size_t size = strcspn(value, "\n");
  while (size > 0 && value[size - 1] == ' ') size--;
  snprintf(out, out_bytes, "%.*s", (int)size, value);
  return true;
}

machine_t machine_of(void) {
  machine_t machine = {.processor = ""};
  struct utsname system;
  if (uname(&system) == 0) {
    snprintf(machine.architecture, sizeof machine.architecture, "%.63s", system.machine);
  }
  FILE *file = fopen("/proc/cpuinfo", "r");
  if (file == NULL) return machine;
  char line[512];
  while (fgets(line, sizeof line, file) != NULL) {
    if (take_value(line, "model name", machine.processor, sizeof machine.processor)) break;
  }
  fclose(file);
  return machine;
}
