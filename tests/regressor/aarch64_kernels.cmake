# cmake -DCOMPILER=… -DEMULATOR=… -DSOURCE=… -DOUT=… -P aarch64_kernels.cmake
#
# Compiles the kernels for aarch64 and, when there is an emulator, runs a small check with them.
set(sources ${SOURCE}/src/regressor/kernels/baseline.cpp ${SOURCE}/src/regressor/kernels/avx2.cpp
            ${SOURCE}/src/regressor/kernels/avx512.cpp ${SOURCE}/src/regressor/kernels/avx512_narrow.cpp
            ${SOURCE}/src/dynamics/kernels/baseline.cpp ${SOURCE}/src/dynamics/kernels/avx2.cpp
            ${SOURCE}/src/dynamics/kernels/avx512.cpp ${SOURCE}/src/dynamics/kernels/avx512_narrow.cpp
            ${SOURCE}/tests/regressor/aarch64_check.cpp)
execute_process(COMMAND ${COMPILER} -std=c++20 -O2 -ffp-contract=off -Wall -Wextra -Werror -static
                        -I${SOURCE}/src -I${SOURCE}/internal ${sources} -o ${OUT} COMMAND_ERROR_IS_FATAL ANY)
if(EMULATOR)
  execute_process(COMMAND ${EMULATOR} ${OUT} COMMAND_ERROR_IS_FATAL ANY)
endif()
