# The program: build/assay.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/harness/cli/*.c)

# `assay fuzz` hosts libFuzzer in the program itself.  Only clang brings it.
set(LIBFUZZER "")
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  execute_process(
    COMMAND ${CMAKE_C_COMPILER}
            -print-file-name=libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a
    OUTPUT_VARIABLE LIBFUZZER OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(EXISTS "${LIBFUZZER}")
  list(FILTER CLI_SOURCES EXCLUDE REGEX "/fuzz_driver_missing\\.c$")
else()
  message(STATUS "no libFuzzer with ${CMAKE_C_COMPILER}: `assay fuzz` will say so")
  set(LIBFUZZER "")
  list(FILTER CLI_SOURCES EXCLUDE REGEX "/fuzz_driver\\.c$")
endif()

add_executable(assay ${CLI_SOURCES})
target_compile_definitions(assay PRIVATE ASSAY_VERSION="${PROJECT_VERSION}")
target_link_libraries(assay PRIVATE assay_run assay_reports assay_tap PkgConfig::JANSSON
                                    ${LIBFUZZER})
if(LIBFUZZER)
  set_target_properties(assay PROPERTIES LINKER_LANGUAGE CXX)  # libFuzzer is C++ inside.
endif()
