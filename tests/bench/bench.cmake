# SPDX-License-Identifier: Apache-2.0
# Every tests/bench/bench_*.c is a program that measures and prints a table: no test, and built by
# target `bench_programs` alone.
add_custom_target(bench_programs)
file(GLOB BENCH_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/bench/bench_*.c)
foreach(source IN LISTS BENCH_SOURCES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE assay_runs assay_search)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  if(openblas_LIBRARY AND openblas_INCLUDE_DIR)
    target_compile_definitions(${name} PRIVATE BENCH_HAVE_OPENBLAS=1)
    target_include_directories(${name} SYSTEM PRIVATE ${openblas_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${openblas_LIBRARY})
  endif()
  add_dependencies(bench_programs ${name})
endforeach()
target_link_libraries(bench_library PRIVATE libassay)
target_link_libraries(bench_large PRIVATE libassay)
