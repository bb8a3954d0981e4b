# SPDX-License-Identifier: Apache-2.0
# Embeds queries/*/*.sql into assay_reports: each is a query of the same name, described by its first
# line, a comment.  They come in the order of their names, whatever the folders.
set(QUERIES "")
file(GLOB misplaced_queries CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/queries/*.sql)
if(misplaced_queries)
  message(FATAL_ERROR "A query belongs in a folder of its topic, reports/queries/TOPIC/: ${misplaced_queries}")
endif()
file(GLOB query_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/queries/*/*.sql)
list(TRANSFORM query_files REPLACE "^(.*/([^/]*)[.]sql)$" "\\2|\\1" OUTPUT_VARIABLE query_rows)
list(SORT query_rows)
foreach(row IN LISTS query_rows)
  string(REGEX MATCH "^([^|]*)[|](.*)$" ignored "${row}")
  set(name ${CMAKE_MATCH_1})
  if(name STREQUAL last_name)
    message(FATAL_ERROR "Two queries are called ${name}: reports/queries/*/${name}.sql")
  endif()
  set(last_name ${name})
  embed_text(${CMAKE_MATCH_2} text)
  string(APPEND QUERIES "    {\"${name}\",\n    ${text}},\n")
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/query_table.c.in
               ${CMAKE_BINARY_DIR}/generated/query_table.c @ONLY)
target_sources(assay_reports PRIVATE ${CMAKE_BINARY_DIR}/generated/query_table.c)

# The style and the scripts of pages, and the template of a report.
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/page.css PAGE_STYLE)
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/page.js PAGE_SCRIPT)
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/report.js REPORT_SCRIPT)
embed_text(${CMAKE_CURRENT_LIST_DIR}/html/page/report.html REPORT_BODY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/html/page_assets.c.in
               ${CMAKE_BINARY_DIR}/generated/page_assets.c @ONLY)
target_sources(assay_reports_html PRIVATE ${CMAKE_BINARY_DIR}/generated/page_assets.c)

# The causes that are known, and the bugs of the recall list.
foreach(part known public)
  string(TOUPPER ${part} table)
  set(${table} "")
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/corpus/${part}/*.def)
  foreach(file IN LISTS files)
    embed_text(${file} text)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
    string(APPEND ${table} "    {\"${name}\",\n    ${text}},\n")
  endforeach()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/known/known_table.c.in
               ${CMAKE_BINARY_DIR}/generated/known_table.c @ONLY)
target_sources(assay_reports_known PRIVATE ${CMAKE_BINARY_DIR}/generated/known_table.c)
