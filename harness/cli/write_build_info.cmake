# SPDX-License-Identifier: Apache-2.0
# Writes the commit of a source folder, and how it is built, into a C file; a file that would stay the same is
# left alone, so that nothing is compiled.
#
#   cmake -DSOURCE=FOLDER -DMANNER=TEXT -DTEMPLATE=build_info.c.in -DOUTPUT=build_info.c -P write_build_info.cmake
set(COMMIT "unknown commit")
find_program(GIT git)
# A source archive may have been unpacked inside another project's checkout: that one's commit is not ours.
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(COMMIT "${described}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
