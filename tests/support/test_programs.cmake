# SPDX-License-Identifier: Apache-2.0
# Registers tests with ctest. Every test carries the name of its folder as a label, and `tests_FOLDER` is
# the build target of all test programs of that folder. The label `verify` marks what ./dev verify runs
# and the gate does not; the label `case` marks the single cases of a GoogleTest program, for `ctest -R`.

# Longest run in seconds. It only ends a test that hangs.
set(CLEARANCE_TEST_TIMEOUT 900)
# What GoogleTest prints if a pattern matches nothing, or a case is switched off.
set(CLEARANCE_TESTS_UNSEEN "Running 0 tests|YOU HAVE [0-9]+ DISABLED TEST")

# Reads GoogleTest's headers once for all test programs. An executable, because libraries are compiled
# with other options for position-independent code. With clang, ccache would not know the result again.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_executable(clearance_test_headers EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/test_headers.cc)
  target_link_libraries(clearance_test_headers PRIVATE GTest::gtest GTest::gmock)
  target_compile_options(clearance_test_headers PRIVATE -pthread ${CLEARANCE_TEST_OPTIONS})
  target_precompile_headers(clearance_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endif()

# clearance_label_tests(TEST... [VERIFY] [COST cost]): labels, timeout and order of tests that exist.
function(clearance_label_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "VERIFY" "COST" "")
  get_filename_component(label ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(arg_VERIFY)
    list(APPEND label verify)
  endif()
  set_tests_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES
    LABELS "${label}" TIMEOUT ${CLEARANCE_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
  if(arg_COST)
    set_tests_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES COST ${arg_COST})
  endif()
endfunction()

# clearance_test_program(TARGET [SHARDS n | APART] [VERIFY_CASES pattern] [PREFIX prefix] [COST cost]):
# a GoogleTest program. It is one test, or as many as there are shards, each of them one process. With
# APART each case is a process of its own, because it changes the process for all that come after it.
# Cases that match VERIFY_CASES, a pattern of --gtest_filter, are left to ./dev verify.
function(clearance_test_program target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "APART" "SHARDS;VERIFY_CASES;PREFIX;COST" "")
  get_filename_component(label ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT TARGET tests_${label})
    add_custom_target(tests_${label})
  endif()
  add_dependencies(tests_${label} ${target})
  if(TARGET clearance_test_headers)
    target_precompile_headers(${target} REUSE_FROM clearance_test_headers)
  endif()
  if(arg_APART)
    gtest_discover_tests(${target} TEST_PREFIX "${arg_PREFIX}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${label} TIMEOUT ${CLEARANCE_TEST_TIMEOUT})
    return()
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()

  foreach(shard RANGE 1 ${arg_SHARDS})
    set(name program.${target})
    if(arg_SHARDS GREATER 1)
      set(name ${name}.${shard})
    endif()
    math(EXPR index "${shard} - 1")
    set(filter)
    if(arg_VERIFY_CASES)
      set(filter --gtest_filter=-${arg_VERIFY_CASES})
    endif()
    add_test(NAME ${name} COMMAND ${target} ${filter})
    clearance_label_tests(${name} COST ${arg_COST})
    set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION "${CLEARANCE_TESTS_UNSEEN}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
  if(arg_VERIFY_CASES)
    add_test(NAME program.${target}.long COMMAND ${target} --gtest_filter=${arg_VERIFY_CASES})
    clearance_label_tests(program.${target}.long VERIFY COST 1000)
    set_tests_properties(program.${target}.long PROPERTIES
      FAIL_REGULAR_EXPRESSION "${CLEARANCE_TESTS_UNSEEN}")
  endif()

  gtest_discover_tests(${target} TEST_PREFIX "${arg_PREFIX}" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS case TIMEOUT ${CLEARANCE_TEST_TIMEOUT})
endfunction()
