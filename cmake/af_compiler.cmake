# Language, warnings, linker and cache: what every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wimplicit-fallthrough)
if(AF_WARNINGS_ARE_ERRORS)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns falsely about every `"literal" + std::string` at -O2 (gcc.gnu.org/PR105329).
  add_compile_options(-Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The sanitizer presets use clang: it compiles them in a quarter of the time. g++ decides about warnings.
  add_compile_options(-Wno-error)
endif()
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--gc-sections)
add_compile_definitions(_GNU_SOURCE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)

if(AF_FAST_LINKER)
  find_program(AF_MOLD mold)
  find_program(AF_LLD NAMES ld.lld ld.lld-19 ld.lld-18)
  if(AF_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(AF_LLD)
    get_filename_component(lld_name "${AF_LLD}" NAME)
    if(lld_name STREQUAL "ld.lld")  # g++ knows only this name
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
endif()

find_program(AF_CCACHE ccache)
if(AF_CCACHE)
  # Base directory: a fresh clone in another folder finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  ${AF_CCACHE})
endif()

# nlohmann-json is header-only: for another architecture the headers of this one serve, but /usr/include as
# a whole must not be searched, so they are linked into a folder of their own.
add_library(af_header_only INTERFACE)
set(AF_HEADERS "${CMAKE_BINARY_DIR}/include/header_only")
file(MAKE_DIRECTORY "${AF_HEADERS}")
foreach(package nlohmann)
  if(EXISTS "/usr/include/${package}")
    file(CREATE_LINK "/usr/include/${package}" "${AF_HEADERS}/${package}" SYMBOLIC)
  endif()
endforeach()
target_include_directories(af_header_only SYSTEM INTERFACE "${AF_HEADERS}")
