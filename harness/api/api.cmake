# SPDX-License-Identifier: Apache-2.0
# libassay: the oracle as a shared library with one header.  What it is made of is hidden: assay.map
# lists what it shows.  Its major version changes when a symbol goes or changes.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(API_FOLDER ${CMAKE_CURRENT_LIST_DIR})
set(ASSAY_SOVERSION 0)

file(GLOB API_SOURCES CONFIGURE_DEPENDS ${API_FOLDER}/*.c)
add_library(libassay SHARED ${API_SOURCES})
target_compile_definitions(libassay PRIVATE ASSAY_VERSION="${PROJECT_VERSION}")
target_link_libraries(libassay PRIVATE assay_builtin assay_session assay_run_parts assay_power assay_reports_verdict)
target_link_options(libassay PRIVATE
  -Wl,--version-script=${API_FOLDER}/assay.map -Wl,--as-needed)
set_property(TARGET libassay APPEND PROPERTY LINK_DEPENDS ${API_FOLDER}/assay.map)
if(NOT ASSAY_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize=thread")  # Whose runtime is the program's.
  target_link_options(libassay PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(libassay PROPERTIES
  OUTPUT_NAME assay EXPORT_NAME assay VERSION ${ASSAY_SOVERSION}.${PROJECT_VERSION} SOVERSION ${ASSAY_SOVERSION})
target_include_directories(libassay INTERFACE
  $<BUILD_INTERFACE:${API_FOLDER}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS libassay EXPORT assay-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${API_FOLDER}/assay/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay FILES_MATCHING PATTERN "*.h")

# For backends: the executor ABI and its helpers.  In the tree headers name one another from its root,
# where they are installed by the folder that they are in then.
foreach(header assay_executor assay_kernel executor_helpers executor_products executor_quantized)
  set(source ${CMAKE_SOURCE_DIR}/harness/exec/${header}.h)
  file(READ ${source} text)
  string(REPLACE "#include \"harness/exec/" "#include \"assay/" text "${text}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/assay/${header}.h CONTENT "${text}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  install(FILES ${CMAKE_BINARY_DIR}/generated/assay/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay)
endforeach()

# Both find the package wherever it was moved to.
file(RELATIVE_PATH PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
set(LIBRARY_FOLDER ${CMAKE_INSTALL_LIBDIR})
configure_file(${API_FOLDER}/assay.pc.in ${CMAKE_BINARY_DIR}/generated/assay.pc @ONLY)
configure_file(${API_FOLDER}/assay-config.cmake.in ${CMAKE_BINARY_DIR}/generated/assay-config.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/assay-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/assay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_BINARY_DIR}/generated/assay-config.cmake
              ${CMAKE_BINARY_DIR}/generated/assay-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
