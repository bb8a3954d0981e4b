# SPDX-License-Identifier: Apache-2.0
# A Debian package of what `cmake --install` installs: program, plugins, workers, libassay with header,
# pkg-config and CMake files, manual page.  harness/package/deb makes it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Assay maintainers <maintainers@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "exact verdicts on implementations of tensor operations")
set(CPACK_PACKAGE_DESCRIPTION
"Assay draws random instances of tensor operations, computes with certified arithmetic which
results a conforming implementation may return, and holds backends against that, to the bit.
The package has the program, its plugins and workers, and libassay with its header.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)           # Of the program, the library and the plugins.
# For `assay executors install`, and what the plugins open.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-venv, libopenblas0, libdnnl2")
include(CPack)
