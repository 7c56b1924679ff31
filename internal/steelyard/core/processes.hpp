// Work shared among processes that all run the same program on the same input, step by step.
//
// Every process comes to the same meetings in the same order; in between, each does the part of the work that
// is its own by index. Results are then known to all, so that all continue with the same bytes, regardless of
// their number. A process that fails reports it at its next meeting, whatever the others meet for: all throw
// the same error, that of the lowest index. A group has one process unless the program sets another
// (steelyard-mpi does); calls come from one thread at a time.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // The bytes of all, by rank, at every process.
  virtual std::vector<std::string> exchange(const std::string& bytes) = 0;
  // The same at the owner; nothing elsewhere.
  virtual std::vector<std::string> collect(const std::string& bytes, int owner) = 0;
  // The owner's bytes at every process.
  virtual std::string spread(const std::string& bytes, int owner) = 0;

  // An error of this process at a piece of work; `order` is the piece's index. Throws what all throw.
  [[noreturn]] virtual void fail(const std::exception_ptr& error, Index order) = 0;
};

ProcessGroup& processes();
// Not owned; null: one process again.
void set_processes(ProcessGroup* group);

// Pieces 0 … count − 1, each once, on one thread of one process; take(k, what fn(k) gave) for all of them, in
// order, at every process; fn gives at least one number. Inside a parallel_for nothing is shared. Errors as
// parallel_for has them.
void share(Index count, int threads, const std::function<std::vector<double>(Index)>& fn,
           const std::function<void(Index, std::span<const double>)>& take);

// An error as bytes, and back: InputError, MachineError, out of memory, anything else as InternalError.
std::string pack_error(const std::exception_ptr& error);
[[noreturn]] void throw_packed(const std::string& bytes);

}  // namespace steelyard
