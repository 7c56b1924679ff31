# cmake -DNM=… -DOBJECTS=… -DCOUNT=… -DDEFINES=… -P kernel_symbols.cmake: the kernel objects of a stage, COUNT of
# them, define a symbol that matches DEFINES, and no weak one.
#
# A weak symbol of a file compiled for AVX may be the copy that the linker keeps for the whole program.
set(seen 0)
foreach(object IN LISTS OBJECTS)
  if(NOT object MATCHES "kernels/([a-z0-9_]+)\\.cpp")
    continue()
  endif()
  set(name ${CMAKE_MATCH_1})
  math(EXPR seen "${seen} + 1")
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT symbols MATCHES "${name}_${DEFINES}")
    message(FATAL_ERROR "${object} does not define ${name}_${DEFINES}:\n${symbols}")
  endif()
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  if(weak)
    list(JOIN weak "\n" weak)
    message(FATAL_ERROR "${object} has weak symbols:\n${weak}")
  endif()
endforeach()
if(NOT seen EQUAL COUNT)
  message(FATAL_ERROR "expected ${COUNT} kernel objects, found ${seen} in ${OBJECTS}")
endif()
