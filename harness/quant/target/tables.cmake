# SPDX-License-Identifier: Apache-2.0
# Embeds tables/NAME.table into assay_quant_target: each is a table of target constraints.
include(${CMAKE_SOURCE_DIR}/harness/base/embed_text.cmake)
set(NAMES "")
set(TEXTS "")
file(GLOB table_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tables/*.table)
foreach(file IN LISTS table_files)
  get_filename_component(name ${file} NAME_WE)
  embed_text(${file} text)
  string(APPEND NAMES "    \"${name}\",\n")
  string(APPEND TEXTS "    ${text},\n")
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/tables.c.in
               ${CMAKE_BINARY_DIR}/generated/quant_tables.c @ONLY)
target_sources(assay_quant_target PRIVATE ${CMAKE_BINARY_DIR}/generated/quant_tables.c)
