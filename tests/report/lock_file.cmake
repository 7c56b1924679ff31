# The lock file has versions and hashes, and no addresses: packages come from whatever registry npm is set to.
#   cmake -DFILE=package-lock.json -P lock_file.cmake
file(READ "${FILE}" text)
foreach(word "resolved" "http:" "https:" "git+" "file:")
  string(FIND "${text}" "${word}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${FILE} holds '${word}'")
  endif()
endforeach()
if(NOT text MATCHES "\"integrity\": \"sha512-")
  message(FATAL_ERROR "${FILE} has no hashes")
endif()
