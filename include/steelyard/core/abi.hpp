// Matrix types of the interface: one layout and one allocator, regardless of the flags a program is compiled
// with.
//
// Eigen aligns its matrices by the instruction set of the compiler's flags, and from 32 bytes on allocates
// them by a function of its own whose memory std::free must not touch. A plain library and a program built
// with -march=native would free each other's memory the wrong way. With DontAlign the layout is fixed and
// dynamic matrices come from std::malloc everywhere. Eigen's own types convert implicitly (a copy);
// Eigen::Ref and Eigen::Map take both without one.
#pragma once

#include <Eigen/Core>
#include <limits>

// Changes with the layout of public types: a program built with older headers fails to link instead of
// crashing.
#define STEELYARD_ABI abi_1

namespace steelyard::inline STEELYARD_ABI {

using Eigen::Index;
using VectorXd = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::DontAlign>;
using MatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign>;
using Vector3 = Eigen::Matrix<double, 3, 1, Eigen::DontAlign>;
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
using Vector10 = Eigen::Matrix<double, 10, 1, Eigen::DontAlign>;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::DontAlign>;
using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::DontAlign>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace steelyard
