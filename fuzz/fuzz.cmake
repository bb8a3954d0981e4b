# libFuzzer targets of our own parsers.
function(add_fuzz_target name library)
  add_executable(${name} ${CMAKE_SOURCE_DIR}/fuzz/${name}.c)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE ${library})
endfunction()

if(ASSAY_FUZZ_TARGETS)
  add_fuzz_target(fuzz_case_line assay_model)
  add_fuzz_target(fuzz_worker_answer assay_exec)
endif()
