# SPDX-License-Identifier: Apache-2.0
# Fuzz targets, by the conventions of OSS-Fuzz: the environment's CC, CXX and flags instrument them, and
# LIB_FUZZING_ENGINE is the engine, a flag or an archive.  Without one they replay files.
set(LIB_FUZZING_ENGINE "$ENV{LIB_FUZZING_ENGINE}" CACHE STRING
    "Engine of fuzz targets: -fsanitize=fuzzer or an archive; empty: a driver that replays files")

add_custom_target(fuzz_targets)
function(add_fuzz_target name)
  cmake_parse_arguments(TARGET "" "" "SOURCES;NEEDS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/fuzz/${name}.c ${TARGET_SOURCES})
  target_link_libraries(${name} PRIVATE ${TARGET_NEEDS})
  if(LIB_FUZZING_ENGINE)
    separate_arguments(engine UNIX_COMMAND "${LIB_FUZZING_ENGINE}")
    target_link_libraries(${name} PRIVATE ${engine})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)  # Engines are C++ inside.
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/fuzz/standalone_main.c)
  endif()
  add_dependencies(fuzz_targets ${name})
endfunction()

add_fuzz_target(fuzz_case_line NEEDS assay_model)
add_fuzz_target(fuzz_contract NEEDS assay_model)
add_fuzz_target(fuzz_op_file NEEDS assay_runs)
add_fuzz_target(fuzz_profile NEEDS assay_identify)
add_fuzz_target(fuzz_quant_graph NEEDS assay_quant)
add_fuzz_target(fuzz_walk SOURCES ${CMAKE_SOURCE_DIR}/fuzz/case_mutator.c NEEDS assay_runs)
add_fuzz_target(fuzz_worker_answer NEEDS assay_exec)

# The mutator of fuzz_walk for AFL++ (AFL_CUSTOM_MUTATOR_LIBRARY), to be built by a plain compiler.
add_library(afl_case_mutator MODULE EXCLUDE_FROM_ALL
            ${CMAKE_SOURCE_DIR}/fuzz/afl_case_mutator.c ${CMAKE_SOURCE_DIR}/fuzz/case_mutator.c)
target_link_libraries(afl_case_mutator PRIVATE assay_gen)
set_target_properties(afl_case_mutator PROPERTIES PREFIX "")
