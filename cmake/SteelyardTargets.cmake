# One object library per stage, one installed library made of all of them.
#
#   steelyard_stage(core SOURCES error.cpp … DEPENDS fmt::fmt)   in src/<stage>/CMakeLists.txt
#   steelyard_stage_test(core SOURCES error_test.cpp …)          in tests/<stage>/CMakeLists.txt
#
# STEELYARD_STAGES lists the stages in the order of docs/architecture.md: a stage's test links the stages up to
# its own and no later one, so an upward call fails to link.

# -DSTEELYARD_STAGES=… builds the first few only; the default is never cached, so that it may grow.
if(NOT DEFINED STEELYARD_STAGES)
  set(STEELYARD_STAGES
      core robot dynamics log regressor fold estimate feasible simulate excite
      signs reverse elastic gains engines doctor validate export result report
      study init identify fleet)
endif()

add_library(steelyard_headers INTERFACE)
target_include_directories(steelyard_headers INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/internal)
add_library(steelyard_options INTERFACE)
target_compile_features(steelyard_options INTERFACE cxx_std_20)
# EIGEN_DONT_PARALLELIZE: threads live outside Eigen.
target_compile_definitions(steelyard_options INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)
target_compile_options(steelyard_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wno-maybe-uninitialized)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports a false overlap on ordinary std::string concatenation, and a false overflow where Eigen steps to
  # the first aligned entry of a matrix.
  target_compile_options(steelyard_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(STEELYARD_WARNINGS_AS_ERRORS)
  target_compile_options(steelyard_options INTERFACE -Werror)
endif()
if(STEELYARD_SANITIZE)
  target_link_options(steelyard_options INTERFACE -fsanitize=${STEELYARD_SANITIZE})
endif()
if(STEELYARD_COVERAGE)
  target_link_options(steelyard_options INTERFACE --coverage)
endif()
# [s] For tests that hang: minutes of a busy machine do not matter. Counters make some tests ten times slower.
set(STEELYARD_TEST_TIMEOUT 900)
if(STEELYARD_COVERAGE)
  set(STEELYARD_TEST_TIMEOUT 3000)
endif()

# Sanitizers or counters in what is judged, src/ and the program: the objects of the tests are those of the ordinary
# build, from ccache. Memory goes from one to the other, so that Eigen must not take its own allocator under
# AddressSanitizer, whose malloc is aligned as well. A child process that ends by _exit writes its counters first
# (counted_exit.c).
function(steelyard_instrument target)
  if(STEELYARD_SANITIZE)
    # Under sanitizers g++ 12 takes the concatenation of a long literal for a write past a short string's own buffer. Null
    # pointers are AddressSanitizer's, alignment Eigen's assertions': their checks at every access would cost a quarter.
    target_compile_options(${target} PRIVATE -O1 -g1 -UNDEBUG -fsanitize=${STEELYARD_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all -fno-sanitize=null,alignment -Wno-array-bounds)
    target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  elseif(STEELYARD_COVERAGE)
    target_compile_options(${target} PRIVATE -O1 --coverage)
    target_compile_definitions(${target} PRIVATE _exit=steelyard_counted_exit)
  endif()
endfunction()

# Files of a target are compiled together: Eigen is parsed once for several of them. Their weight is the number of lines, a
# matrix or vector counts as 35, for its templates; a unit takes seconds, and so does one changed file. Sources with
# flags of their own stay alone (CMake sees to that), and those with SKIP_UNITY_BUILD_INCLUSION: decompositions, which take
# as long as a unit and rarely change.
set(STEELYARD_UNITY_WEIGHT 2200 CACHE STRING "About the most lines of a unit (STEELYARD_UNITY); a matrix counts as 35")
mark_as_advanced(STEELYARD_UNITY_WEIGHT)
function(steelyard_unity target)  # [weight in percent of the usual one]
  if(NOT STEELYARD_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(before 0)
  foreach(source IN LISTS sources)
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    if(alone)
      list(REMOVE_ITEM sources ${source})
    endif()
  endforeach()
  foreach(source IN LISTS sources)
    set(before_${source} ${before})
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
      file(READ ${source} text)
      string(REGEX MATCHALL "\n" lines "${text}")
      string(REGEX MATCHALL "Matrix|Vector" matrices "${text}")
      list(LENGTH lines lines)
      list(LENGTH matrices matrices)
      math(EXPR before "${before} + ${lines} + 35 * ${matrices}")
    endif()
  endforeach()
  set(weight ${STEELYARD_UNITY_WEIGHT})
  if(ARGC GREATER 1)
    math(EXPR weight "${weight} * ${ARGV1} / 100")
  endif()
  math(EXPR units "1 + ${before} / ${weight}")
  foreach(source IN LISTS sources)
    math(EXPR unit "${before_${source}} * ${units} / (${before} + 1)")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# What goes over no sample: text, and the steps of studies. Compiled faster.
function(steelyard_text target)
  target_compile_options(${target} PRIVATE -O1)
endfunction()

# Kernels of a stage, in its kernels/: one source, several instruction sets. Nothing is contracted behind our back: avx2 and
# avx512 give the same bytes.
function(steelyard_kernels)
  set(flags -O3 -ffp-contract=off)
  set_source_files_properties(kernels/baseline.cpp PROPERTIES COMPILE_OPTIONS "${flags}")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set_source_files_properties(kernels/avx2.cpp PROPERTIES COMPILE_OPTIONS "${flags};-mavx2;-mfma")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${flags};-mavx512f;-mavx512dq;-mavx512vl;-mfma")
  endif()
endfunction()

function(steelyard_stage name)
  cmake_parse_arguments(arg "TEXT" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(steelyard_${name} OBJECT ${arg_SOURCES})
  target_include_directories(steelyard_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/internal
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(steelyard_${name} PRIVATE steelyard_options Eigen3::Eigen Threads::Threads ${arg_DEPENDS})
  steelyard_instrument(steelyard_${name})
  if(arg_TEXT)
    steelyard_text(steelyard_${name})
    steelyard_unity(steelyard_${name} 140)
  else()
    steelyard_unity(steelyard_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY STEELYARD_DEPENDS ${arg_DEPENDS})
endfunction()

# Links `target` with all stages up to and including `last`. Of an inline function that both have, the linker keeps the
# one it meets first: under sanitizers objects of the stages stand before those of the target.
function(steelyard_link_stages target last)
  get_property(depends GLOBAL PROPERTY STEELYARD_DEPENDS)
  foreach(stage IN LISTS STEELYARD_STAGES)
    if(STEELYARD_SANITIZE)
      target_link_options(${target} PRIVATE $<TARGET_OBJECTS:steelyard_${stage}>)
      set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS $<TARGET_OBJECTS:steelyard_${stage}>)
      target_link_libraries(${target} PRIVATE steelyard_headers)
    else()
      target_link_libraries(${target} PRIVATE steelyard_${stage})
    endif()
    if(stage STREQUAL last)
      break()
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE steelyard_options Eigen3::Eigen Threads::Threads ${depends})
endfunction()

function(steelyard_stage_test name)
  cmake_parse_arguments(arg "" "LAST" "SOURCES;DEPENDS" ${ARGN})
  if(NOT arg_LAST)
    set(arg_LAST ${name})
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  steelyard_unity(${name}_test)
  steelyard_link_stages(${name}_test ${arg_LAST})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name}_test PRIVATE GTest::gmock GTest::gtest_main ${arg_DEPENDS})
  target_compile_definitions(${name}_test PRIVATE STEELYARD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${STEELYARD_TEST_TIMEOUT})
endfunction()
