# One target a folder, each with an include path of its own.
#
# `#include "core/text.h"` is found through include/core/core -> src/core in the build directory. A target sees its own
# such root and those of the folders that it names in DEPENDS, nothing else: an include that the layers forbid does not
# compile. Dependencies are linked PRIVATE so that include paths do not travel further than they were named.

function(af_include_root name folder)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/include/${name}")
  file(CREATE_LINK "${folder}" "${CMAKE_BINARY_DIR}/include/${name}/${name}" SYMBOLIC)
endfunction()

# What both programs and libraries of ours get.
function(af_common target)
  target_compile_definitions(${target} PRIVATE ANTIFREEZE_VERSION="${PROJECT_VERSION}")
endfunction()


# af_folder(NAME core [DEPENDS folder...] [LIBRARIES target...])
# Library af_NAME from *.cc, af_NAME_fake from fake/*.cc (linked by tests only), NAME_tests from *_test.cc.
function(af_folder)
  cmake_parse_arguments(PARSE_ARGV 0 arg "FAST" "NAME" "DEPENDS;LIBRARIES")
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}")
  af_include_root(${arg_NAME} "${folder}")
  set_property(GLOBAL PROPERTY AF_DEPENDS_${arg_NAME} "${arg_DEPENDS}")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cc")
  file(GLOB fakes CONFIGURE_DEPENDS "${folder}/fake/*.cc")
  file(GLOB tests CONFIGURE_DEPENDS "${folder}/*_test.cc" "${folder}/fake/*_test.cc")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cc$")
  list(FILTER fakes EXCLUDE REGEX "_test\\.cc$")
  list(TRANSFORM arg_DEPENDS PREPEND "af_" OUTPUT_VARIABLE dependencies)

  af_library(af_${arg_NAME} "${arg_NAME}" "${sources}" "${dependencies};${arg_LIBRARIES}")
  if(arg_FAST AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(af_${arg_NAME} PRIVATE -O2)  # reads gigabytes; the rest is built for size
  endif()
  if(fakes)
    af_library(af_${arg_NAME}_fake "${arg_NAME}" "${fakes}" "af_${arg_NAME};${dependencies}")
  endif()
  if(AF_TESTS AND tests)
    set(fake_libraries "")
    foreach(part ${arg_NAME} ${arg_DEPENDS})
      if(TARGET af_${part}_fake)
        list(APPEND fake_libraries af_${part}_fake)
      endif()
    endforeach()
    add_executable(${arg_NAME}_tests ${tests})
    af_common(${arg_NAME}_tests)
    target_compile_definitions(${arg_NAME}_tests PRIVATE AF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${arg_NAME}_tests PRIVATE ${fake_libraries} af_${arg_NAME} ${dependencies} ${arg_LIBRARIES}
                                                    af_header_only af_gtest)
    if(CMAKE_CROSSCOMPILING)
      target_link_options(${arg_NAME}_tests PRIVATE -static)  # needs no foreign libraries beside the emulator
    endif()
    gtest_discover_tests(${arg_NAME}_tests TEST_PREFIX "${arg_NAME}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                         PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# A static library, or an interface one while the folder has headers only.
function(af_library target name sources libraries)
  if(sources)
    add_library(${target} STATIC ${sources})
    af_common(${target})
    target_include_directories(${target} PUBLIC "${CMAKE_BINARY_DIR}/include/${name}")
    target_link_libraries(${target} PRIVATE ${libraries})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${CMAKE_BINARY_DIR}/include/${name}")
  endif()
endfunction()

# af_program(NAME antifreeze-run FOLDER run [STATIC] [RECOMPILE folder...] [DEFINES X=1...] [LIBRARIES target...])
# A program from main.cc of src/FOLDER. RECOMPILE builds those folders' sources again, with DEFINES.
function(af_program)
  cmake_parse_arguments(PARSE_ARGV 0 arg "STATIC" "NAME;FOLDER" "RECOMPILE;DEFINES;LIBRARIES")
  set(main "${CMAKE_SOURCE_DIR}/src/${arg_FOLDER}/main.cc")
  if(NOT AF_PROGRAMS OR NOT EXISTS "${main}")
    # Looked for again when it appears, like the sources of a folder.
    file(GLOB ignored CONFIGURE_DEPENDS "${main}")
    return()
  endif()
  get_property(depends GLOBAL PROPERTY AF_DEPENDS_${arg_FOLDER})
  set(sources "${main}")
  set(libraries "")
  foreach(part ${depends} ${arg_FOLDER})
    if(part IN_LIST arg_RECOMPILE)
      file(GLOB again CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${part}/*.cc")
      list(FILTER again EXCLUDE REGEX "(_test|/main)\\.cc$")
      list(APPEND sources ${again})
    else()
      list(PREPEND libraries af_${part})  # users before what they use
    endif()
  endforeach()
  add_executable(${arg_NAME} ${sources})
  foreach(part ${arg_RECOMPILE})
    target_include_directories(${arg_NAME} PRIVATE "${CMAKE_BINARY_DIR}/include/${part}")
  endforeach()
  target_compile_definitions(${arg_NAME} PRIVATE ${arg_DEFINES})
  target_link_libraries(${arg_NAME} PRIVATE ${libraries} ${arg_LIBRARIES})
  af_finish_program(${arg_NAME} ${arg_STATIC})
endfunction()

# af_tool(NAME fakevllm [STATIC] [DEPENDS folder...]): a program from all the *.cc of this folder, with its tests.
function(af_tool)
  cmake_parse_arguments(PARSE_ARGV 0 arg "STATIC" "NAME" "DEPENDS")
  af_folder(NAME ${arg_NAME} DEPENDS ${arg_DEPENDS})
  set(main "${CMAKE_CURRENT_SOURCE_DIR}/main.cc")
  file(GLOB ignored CONFIGURE_DEPENDS "${main}")
  if(NOT AF_PROGRAMS OR NOT EXISTS "${main}")
    return()
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND "af_" OUTPUT_VARIABLE dependencies)
  add_executable(${arg_NAME} "${main}")
  target_link_libraries(${arg_NAME} PRIVATE af_${arg_NAME} ${dependencies})
  af_finish_program(${arg_NAME} ${arg_STATIC})
endfunction()

function(af_finish_program target static)
  af_common(${target})
  if(static)
    # No PIE: one relocation pass less at every container start, and nothing for a loader to do.
    target_link_options(${target} PRIVATE -static -no-pie)
  endif()
  target_link_options(${target} PRIVATE $<$<CONFIG:Release,MinSizeRel>:-s>)
  if(AF_BIN_DIR)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${AF_BIN_DIR}")
  else()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  endif()
endfunction()
