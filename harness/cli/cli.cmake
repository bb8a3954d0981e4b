# SPDX-License-Identifier: Apache-2.0
# The program: build/assay.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/harness/cli/*.c ${CMAKE_SOURCE_DIR}/harness/cli/options/*.c
     ${CMAKE_SOURCE_DIR}/harness/cli/options/checks/*.c
     ${CMAKE_SOURCE_DIR}/harness/cli/task/*.c ${CMAKE_SOURCE_DIR}/harness/cli/verbs/*/*.c)

# `assay fuzz` hosts libFuzzer in the program itself.  Only clang brings it.
set(LIBFUZZER "")
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  execute_process(
    COMMAND ${CMAKE_C_COMPILER}
            -print-file-name=libclang_rt.fuzzer_no_main-${CMAKE_SYSTEM_PROCESSOR}.a
    OUTPUT_VARIABLE LIBFUZZER OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(EXISTS "${LIBFUZZER}")
  list(FILTER CLI_SOURCES EXCLUDE REGEX "/driver_missing\\.c$")
else()
  message(STATUS "no libFuzzer with ${CMAKE_C_COMPILER}: `assay fuzz` will say so")
  set(LIBFUZZER "")
  list(FILTER CLI_SOURCES EXCLUDE REGEX "/drive_libfuzzer\\.c$")
endif()

# `assay --version` tells the commit: looked up at each build, compiled again where it is another one.
set(BUILD_MANNER "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
if(ASSAY_SANITIZE)
  string(APPEND BUILD_MANNER ", with AddressSanitizer and UBSan")
endif()
set(BUILD_INFO ${CMAKE_BINARY_DIR}/generated/build_info.c)
add_custom_target(build_info BYPRODUCTS ${BUILD_INFO}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} "-DMANNER=${BUILD_MANNER}"
          -DTEMPLATE=${CMAKE_CURRENT_LIST_DIR}/build_info.c.in -DOUTPUT=${BUILD_INFO}
          -P ${CMAKE_CURRENT_LIST_DIR}/write_build_info.cmake)

add_executable(assay ${CLI_SOURCES} ${BUILD_INFO})
target_compile_definitions(assay PRIVATE ASSAY_VERSION="${PROJECT_VERSION}")
target_link_libraries(assay PRIVATE assay_runs assay_search assay_campaign assay_reports assay_tap
                                    PkgConfig::JANSSON
                                    ${LIBFUZZER})
if(LIBFUZZER)
  set_target_properties(assay PROPERTIES LINKER_LANGUAGE CXX)  # libFuzzer is C++ inside.
endif()

# The manual page and the shells' completions are what the program prints.
set(ASSAY_SHARE ${CMAKE_BINARY_DIR}/share)
add_custom_command(
  OUTPUT ${ASSAY_SHARE}/man/man1/assay.1
         ${ASSAY_SHARE}/bash-completion/completions/assay
         ${ASSAY_SHARE}/zsh/site-functions/_assay
         ${ASSAY_SHARE}/fish/vendor_completions.d/assay.fish
  COMMAND ${CMAKE_COMMAND} -E make_directory ${ASSAY_SHARE}/man/man1
          ${ASSAY_SHARE}/bash-completion/completions ${ASSAY_SHARE}/zsh/site-functions
          ${ASSAY_SHARE}/fish/vendor_completions.d
  COMMAND assay help --man > ${ASSAY_SHARE}/man/man1/assay.1
  COMMAND assay completion bash > ${ASSAY_SHARE}/bash-completion/completions/assay
  COMMAND assay completion zsh > ${ASSAY_SHARE}/zsh/site-functions/_assay
  COMMAND assay completion fish > ${ASSAY_SHARE}/fish/vendor_completions.d/assay.fish
  DEPENDS assay)
add_custom_target(shared_files ALL DEPENDS ${ASSAY_SHARE}/man/man1/assay.1)

# cmake --install build --prefix PREFIX.  Plugins and workers are looked for beside the program, where a
# link in bin leads.
install(TARGETS assay DESTINATION lib/assay)
install(DIRECTORY ${CMAKE_BINARY_DIR}/plugins DESTINATION lib/assay FILES_MATCHING PATTERN *.so)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/harness/exec/workers DESTINATION lib/assay
        PATTERN __pycache__ EXCLUDE PATTERN *.cmake EXCLUDE)
# The scripts that decide bundles of evidence are in `evidence` beside the program, for it and for whoever copies them.
file(GLOB EVIDENCE_SCRIPTS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/reports/check_*.py)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/evidence)
foreach(script IN LISTS EVIDENCE_SCRIPTS)
  cmake_path(GET script FILENAME name)
  file(CREATE_LINK ${script} ${CMAKE_BINARY_DIR}/evidence/${name} SYMBOLIC)
endforeach()
install(FILES ${EVIDENCE_SCRIPTS} DESTINATION lib/assay/evidence)
install(DIRECTORY ${ASSAY_SHARE}/ DESTINATION share)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/corpus/ops DESTINATION share/assay FILES_MATCHING PATTERN *.op)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/assay RENAME copyright)
install(CODE [[
  set(bin "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin")
  file(MAKE_DIRECTORY "${bin}")
  file(CREATE_LINK ../lib/assay/assay "${bin}/assay" SYMBOLIC)
]])
