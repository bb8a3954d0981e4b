# SPDX-License-Identifier: Apache-2.0
# test_store_extra_columns is the store compiled with a columns.def that has more columns: a line each, and
# nothing else.  The test adds them to its databases as a migration would.
set(EXTRA_COLUMNS_FOLDER ${CMAKE_BINARY_DIR}/generated/extra_columns)
set(STORE_ROWS ${CMAKE_SOURCE_DIR}/harness/store/rows)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${STORE_ROWS}/columns.def)
file(READ ${STORE_ROWS}/columns.def columns)

function(add_extra_column row role kind column)
  set(line "COLUMN(${row}, ${role}, ${kind}, ${column})\n")
  string(REPLACE "ROW_END(${row}," "${line}ROW_END(${row}," with_line "${columns}")
  if(with_line STREQUAL columns)
    message(FATAL_ERROR "columns.def has no row ${row}")
  endif()
  set(columns "${with_line}" PARENT_SCOPE)
endfunction()

add_extra_column(run FIRST TEXT extra)
add_extra_column(run_times MAX REAL extra_seconds)
add_extra_column(counter MAX REAL extra)
add_extra_column(divergence FINDING TEXT extra)
add_extra_column(divergence CASE TEXT extra_of_case)
add_extra_column(profile LAST TEXT extra)
add_extra_column(waiver LAST TEXT extra)
add_extra_column(retest LAST TEXT extra)
add_extra_column(bits FIRST TEXT extra_of_case)
add_extra_column(bits LAST TEXT extra)
file(CONFIGURE OUTPUT ${EXTRA_COLUMNS_FOLDER}/harness/store/rows/columns.def CONTENT "${columns}" @ONLY)

file(GLOB store_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/store/*.c ${STORE_ROWS}/*.c)
target_sources(test_store_extra_columns PRIVATE ${store_sources} ${CMAKE_BINARY_DIR}/generated/schema_text.c)
target_include_directories(test_store_extra_columns BEFORE PRIVATE ${EXTRA_COLUMNS_FOLDER})
