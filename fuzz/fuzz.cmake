# libFuzzer targets of our own parsers.
if(ASSAY_FUZZ_TARGETS)
  add_executable(fuzz_case_line ${CMAKE_SOURCE_DIR}/fuzz/fuzz_case_line.c)
  target_compile_options(fuzz_case_line PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_case_line PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_case_line PRIVATE assay_model)
endif()
