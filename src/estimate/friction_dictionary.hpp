// Names of the dictionary's columns of a joint, k = 0 … 7.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string tanh_name(int number, int k);
std::string peak_name(int number, int k);
std::string load_name(int number, int k);  // −1: with the sign of the velocity
std::string driven_name(int number, int k);
std::string load_peak_name(int number, int k);

}  // namespace steelyard
