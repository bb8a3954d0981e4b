/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of a test of PJRT where Assay was built without the header of its interface. */
#ifndef ASSAY_TESTS_EXEC_PJRT_ABSENT_H
#define ASSAY_TESTS_EXEC_PJRT_ABSENT_H

#include <glib.h>

static inline void skip_without_pjrt(void) {
  g_test_skip("pjrt_c_api.h could not be fetched from PyPI");
}

static inline int main_without_pjrt(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pjrt", skip_without_pjrt);
  return g_test_run();
}

#endif
