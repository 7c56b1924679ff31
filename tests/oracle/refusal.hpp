// What a reader says of bad input: every refusal has a place and something to do.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "steelyard/core/error.hpp"

namespace steelyard {

// The message, or "accepted".
template <typename Read>
std::string refusal(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().place.file, "") << error.what();
    EXPECT_NE(error.complaint().remedy, "") << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace steelyard
