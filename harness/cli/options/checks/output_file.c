/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the folder that a file is to be written in, as g_file_set_contents() writes it: beside
 * the old one, whose place it then takes. */
#include "harness/cli/options/checks/output_file.h"

#include <errno.h>
#include <glib.h>
#include <unistd.h>

status_t output_file_check(const char *option, const char *path, failure_t *error) {
  if (path == NULL) return STATUS_OK;
  g_autofree char *folder = g_path_get_dirname(path);
  if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
    return status_fail(error, STATUS_INVALID, "\"%.200s\" (%s) is a folder; name a file in it",
                       path, option);
  }
  if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
    return status_fail(error, STATUS_INVALID,
                       "cannot write \"%.150s\" (%s): there is no folder \"%.150s\"; make it, or "
                       "name another",
                       path, option, folder);
  }
  if (access(folder, W_OK) == 0) return STATUS_OK;
  return status_fail(error, STATUS_IO, "cannot write \"%.200s\" (%s): %s", path, option,
                     g_strerror(errno));
}
