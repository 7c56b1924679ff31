// Errors: what went wrong, where, which limit was exceeded, and what the user can do about it.
//
//   InputError     the input cannot be read or is invalid            exit code 2
//   MachineError   disk, permission, missing part, time limit         exit code 4
//   InternalError  a bug in Steelyard                                  exit code 1
//
// Numeric outcomes (rank, infeasible, not converged) are not exceptions: they are states in results.
#pragma once

#include <stdexcept>
#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A place in the user's input. Empty strings and zeros mean "not known"; line and column count from 1.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string joint;  // joint, link or column the message refers to

  // "panda.yaml:12:5, joint 'wrist_1'"; empty when nothing is known.
  std::string to_string() const;
};

// Text of an error, in the order in which it is printed.
struct Complaint {
  std::string what;    // one sentence with the offending value
  Place place;         // where
  std::string limit;   // what would have been accepted; may be empty
  std::string remedy;  // what to do; may be empty

  // "panda.yaml:12:5: unknown key 'gravty' (known keys: …); did you mean 'gravity'?"
  std::string to_string() const;
};

class Error : public std::runtime_error {
 public:
  explicit Error(Complaint complaint);
  const Complaint& complaint() const noexcept { return complaint_; }

 private:
  Complaint complaint_;
};

class InputError : public Error {
 public:
  using Error::Error;
};

class MachineError : public Error {
 public:
  using Error::Error;
};

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws InternalError with the text when an invariant of ours does not hold.
void require(bool invariant, const char* text);

}  // namespace steelyard
