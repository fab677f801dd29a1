# SPDX-License-Identifier: Apache-2.0
# Uses ccache and a fast linker if they are installed. CMAKE_CXX_COMPILER_LAUNCHER (may be empty) and
# -fuse-ld in CMAKE_EXE_LINKER_FLAGS replace these choices.

find_program(CLEARANCE_CCACHE ccache DOC "Compiler cache")
if(CLEARANCE_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CLEARANCE_CCACHE})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
  set(linker mold)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Debian's compilers have the version in their names, and so do their linkers.
  string(REGEX MATCH "^[0-9]+" major ${CMAKE_CXX_COMPILER_VERSION})
  set(linker lld-${major})
endif()
if(linker)
  find_program(CLEARANCE_LINKER ld.${linker} DOC "Fast linker")
  if(CLEARANCE_LINKER AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-fuse-ld")
    string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=${linker}")
  endif()
endif()
