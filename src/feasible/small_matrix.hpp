// Matrices of blocks: small, symmetric, without heap. Their decompositions are compiled once.
#pragma once

#include <Eigen/Core>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr int kLargestBlock = 6;
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kLargestBlock, kLargestBlock>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kLargestBlock, 1>;

// Ascending.
template <class Matrix, class Vector>
struct SmallEigen {
  Vector values;
  Matrix vectors;
};
SmallEigen<SmallMatrix, SmallVector> small_eigen(const SmallMatrix& A);
SmallEigen<Eigen::Matrix4d, Eigen::Vector4d> small_eigen(const Eigen::Matrix4d& A);
SmallVector small_eigenvalues(const SmallMatrix& A);
Eigen::Vector4d small_eigenvalues(const Eigen::Matrix4d& A);
double spectral_norm(const SmallMatrix& A);

bool is_positive(const SmallMatrix& A);
bool is_positive(const Eigen::Matrix4d& A);
// L with A = L Lᵀ; false: there is none.
bool lower_root(const SmallMatrix& A, SmallMatrix& L);
bool lower_root(const Eigen::Matrix4d& A, Eigen::Matrix4d& L);
SmallMatrix small_inverse(const SmallMatrix& A);  // of a positive definite matrix

}  // namespace steelyard
