# GoogleTest: the distribution's library where we build for this machine, its packaged source where we cross-compile or
# where the sanitizer or standard library in use needs its own build.
if(NOT AF_TESTS)
  return()
endif()
if(CMAKE_CROSSCOMPILING OR AF_FUZZ)
  add_library(af_gtest STATIC EXCLUDE_FROM_ALL /usr/src/googletest/googletest/src/gtest-all.cc
                                               /usr/src/googletest/googlemock/src/gmock-all.cc
                                               /usr/src/googletest/googlemock/src/gmock_main.cc)
  target_include_directories(af_gtest SYSTEM PUBLIC /usr/src/googletest/googletest/include
                                                    /usr/src/googletest/googlemock/include)
  target_include_directories(af_gtest SYSTEM PRIVATE /usr/src/googletest/googletest /usr/src/googletest/googlemock)
  target_compile_options(af_gtest PRIVATE -w)
else()
  find_package(GTest REQUIRED)
  add_library(af_gtest INTERFACE)
  target_link_libraries(af_gtest INTERFACE GTest::gmock_main GTest::gmock GTest::gtest)
endif()
include(GoogleTest)
