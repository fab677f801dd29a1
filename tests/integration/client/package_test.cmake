# SPDX-License-Identifier: Apache-2.0
# Installs the library into a new directory, builds another project against it and runs that; builds
# the examples that are separate projects too, and the project that the library's page shows.
# Installs everything into another directory and sees what is there.
# cmake -D BUILD_DIR=… -D SOURCE_DIR=… -D SNIPPETS=… -P package_test.cmake
string(RANDOM LENGTH 12 suffix)
set(work $ENV{TMPDIR})
if(NOT work)
  set(work /tmp)
endif()
set(work ${work}/clearance-package-${suffix})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "${ARGV}: ${status}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/prefix --component library)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/consumer -B ${work}/build
    -D CMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
run(${work}/build/proto_consumer)
foreach(example game hello)
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/../../../client/examples/${example} -B ${work}/${example}
      -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=16)
  run(${CMAKE_COMMAND} --build ${work}/${example})
endforeach()
if(EXISTS ${SNIPPETS})
  configure_file(${SNIPPETS}/client_cpp_README_1.cmake ${work}/page/CMakeLists.txt COPYONLY)
  configure_file(${SNIPPETS}/client_cpp_README_1.cpp ${work}/page/planner.cc COPYONLY)
  run(${CMAKE_COMMAND} -G Ninja -S ${work}/page -B ${work}/page/build
      -D CMAKE_PREFIX_PATH=${work}/prefix)
  run(${CMAKE_COMMAND} --build ${work}/page/build)
endif()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/all)
set(unit lib/systemd/system/clearance-server.service)
foreach(file bin/clearance bin/clearance-server etc/clearance/server.conf include/clearance/client.h ${unit}
        share/bash-completion/completions/clearance share/fish/vendor_completions.d/clearance.fish
        share/doc/clearance-server/all_settings.conf share/man/man1/clearance.1.gz share/man/man8/clearance-server.8.gz share/zsh/site-functions/_clearance)
  if(NOT EXISTS ${work}/all/${file})
    file(REMOVE_RECURSE ${work})
    message(FATAL_ERROR "cmake --install does not install ${file}")
  endif()
endforeach()
file(STRINGS ${work}/all/${unit} start REGEX "^ExecStart=")
set(expected "ExecStart=${work}/all/bin/clearance-server --config_file=${work}/all/etc/clearance/server.conf")
if(NOT start STREQUAL expected)
  file(REMOVE_RECURSE ${work})
  message(FATAL_ERROR "the unit has ${start} and should have ${expected}")
endif()
file(REMOVE_RECURSE ${work})
