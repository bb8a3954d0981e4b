# SPDX-License-Identifier: Apache-2.0
# What tests/cli/database/only_sqlite.t loads into the program: tests/preload/open_watch.so.
add_library(open_watch MODULE EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/store/preload/open_watch.c)
set_target_properties(open_watch PROPERTIES
  PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/preload)
target_link_libraries(open_watch PRIVATE ${CMAKE_DL_LIBS})
# Not watched itself: it has no leaks, and a sanitizer must be the first that is loaded.
target_compile_options(open_watch PRIVATE -fno-sanitize=all)
target_link_options(open_watch PRIVATE -fno-sanitize=all)
add_dependencies(check_programs open_watch)
