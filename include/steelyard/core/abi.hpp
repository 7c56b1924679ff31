// Every name of the library lives in an inline namespace that carries Eigen's alignment.
//
// Eigen's matrices allocate and align according to EIGEN_MAX_ALIGN_BYTES, which -march=native changes. A library
// built with 16 and a program built with 64 would free each other's memory with the wrong function. The installed
// CMake package and the pkg-config file set EIGEN_MAX_ALIGN_BYTES=16 for their users; who overrides it gets an
// undefined symbol from the linker instead of a crash.
#pragma once

#include <Eigen/Core>

#define STEELYARD_ABI_JOIN_(a, b) a##b
#define STEELYARD_ABI_JOIN(a, b) STEELYARD_ABI_JOIN_(a, b)
#define STEELYARD_ABI STEELYARD_ABI_JOIN(eigen_align_, EIGEN_MAX_ALIGN_BYTES)

namespace steelyard {
inline namespace STEELYARD_ABI {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Fixed-size types of public structs and arguments: never aligned, so that they have one layout everywhere.
using Vector3 = Eigen::Matrix<double, 3, 1, Eigen::DontAlign>;
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;
using Vector10 = Eigen::Matrix<double, 10, 1, Eigen::DontAlign>;
using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::DontAlign>;
using Matrix4 = Eigen::Matrix<double, 4, 4, Eigen::DontAlign>;

}  // namespace STEELYARD_ABI
}  // namespace steelyard
