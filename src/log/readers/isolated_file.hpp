// A file of arrays that is read by a child process.
//
// The libraries behind .mat and HDF5 trust what they read: a damaged file can make them write outside their
// memory, loop forever, or request all memory. They are therefore called in a child, made by fork,
// that has nothing but the file and pipes to its parent:
//
//   child   opens the file, sends its table of contents, then the numbers of each array that is requested
//   parent  takes whole answers only, checks every length, and never lets the library run in itself
//
// A child that ends early or computes for too long is a damaged file (InputError); one that waits for too
// long is a system failure (MachineError). What decides is whether the answer came, not how the child ended,
// so that hosts may ignore SIGCHLD or reap all children themselves.
//
// The child is a fork without exec (core/child_process.hpp). Several threads may read at once.
//
// Does not hold: when another thread of the host is inside libhdf5 or matio itself at that moment, the child
// inherits their half-changed state, and a good file may be called damaged or time out (the host is not
// harmed). Hosts that must not fork (some MPI transports) should convert such logs beforehand. Numbers that
// were damaged where a format has no checksum are still numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "array_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct IsolationLimits {
  double processor_seconds = 10;  // of one answer, and one second more for every 16 MiB of file or numbers
  double waiting_seconds = 120;   // of one answer, and ten seconds more for every 16 MiB
  std::uint64_t memory = 3 * kArrayLimit;  // [bytes] beyond what the host has; not under sanitizers

  void validate() const;  // throws InputError
};

using OpenArrayFile = std::function<std::unique_ptr<ArrayFile>(const std::string&)>;

// Runs `open` in a child and stands for the file it opens. Errors of the child are thrown here.
std::unique_ptr<ArrayFile> open_isolated(const OpenArrayFile& open, const std::string& path,
                                         const IsolationLimits& limits = {});

}  // namespace steelyard
