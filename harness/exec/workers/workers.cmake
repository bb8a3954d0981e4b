# SPDX-License-Identifier: Apache-2.0
# The program finds our workers in `workers` beside it, which is this folder.
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/harness/exec/workers ${CMAKE_BINARY_DIR}/workers SYMBOLIC)

# The worker in C that worker.md points to, tested as such.
add_executable(example_worker EXCLUDE_FROM_ALL
               ${CMAKE_SOURCE_DIR}/harness/exec/workers/examples/example_worker.c)
add_dependencies(check_programs example_worker)
