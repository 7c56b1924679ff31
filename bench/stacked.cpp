#include "stacked.hpp"

#include <dlfcn.h>

#include <Eigen/QR>
#include <cstddef>
#include <string>
#include <vector>

#define STEELYARD_EXPORT __attribute__((visibility("default")))

using Gelsd = void(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b,
                   const int* ldb, double* s, const double* rcond, int* rank, double* work, const int* lwork,
                   int* iwork, int* info);

#ifdef STEELYARD_HAS_LAPACK
extern "C" Gelsd dgelsd_;
#endif
#ifdef STEELYARD_HAS_OPENBLAS
extern "C" void openblas_set_num_threads(int threads);
extern "C" char* openblas_get_config();
#endif

namespace {

// Debian lets OpenBLAS take the place of both libraries; their own files stay in folders beside it. Bound to
// each other only, so that no product of OpenBLAS serves the reference LAPACK.
Gelsd* reference_gelsd() {
  const std::string folder = "/usr/lib/x86_64-linux-gnu";
  constexpr int kAlone = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
  if (dlopen((folder + "/blas/libblas.so.3").c_str(), kAlone) == nullptr) return nullptr;
  void* lapack = dlopen((folder + "/lapack/liblapack.so.3").c_str(), kAlone);
  return lapack == nullptr ? nullptr : reinterpret_cast<Gelsd*>(dlsym(lapack, "dgelsd_"));
}

bool solve(Gelsd* gelsd, double* A, double* b, int rows, int columns, double* x) {
  if (gelsd == nullptr) return false;
  const int one = 1, query = -1;
  const double rcond = 1e-12;
  std::vector<double> s(static_cast<std::size_t>(columns)), work(1);
  std::vector<int> iwork(static_cast<std::size_t>(64 * columns));
  int rank = 0, info = 0;
  gelsd(&rows, &columns, &one, A, &rows, b, &rows, s.data(), &rcond, &rank, work.data(), &query, iwork.data(),
        &info);
  const int size = static_cast<int>(work[0]);
  work.resize(static_cast<std::size_t>(size));
  gelsd(&rows, &columns, &one, A, &rows, b, &rows, s.data(), &rcond, &rank, work.data(), &size, iwork.data(),
        &info);
  for (int k = 0; k < columns; ++k) x[k] = b[k];
  return info == 0;
}

}  // namespace

extern "C" {

STEELYARD_EXPORT const char* lapack_name() {
#if defined(STEELYARD_HAS_OPENBLAS)
  return openblas_get_config();
#elif defined(STEELYARD_HAS_LAPACK)
  return "the system's LAPACK";
#else
  return "none";
#endif
}

STEELYARD_EXPORT bool solve_gelsd(double* A, double* b, int rows, int columns, double* x) {
#ifdef STEELYARD_HAS_OPENBLAS
  openblas_set_num_threads(1);
#endif
#ifdef STEELYARD_HAS_LAPACK
  return solve(dgelsd_, A, b, rows, columns, x);
#else
  return solve(nullptr, A, b, rows, columns, x);
#endif
}

STEELYARD_EXPORT bool solve_gelsd_reference(double* A, double* b, int rows, int columns, double* x) {
  static Gelsd* const gelsd = reference_gelsd();
  return solve(gelsd, A, b, rows, columns, x);
}

STEELYARD_EXPORT bool solve_householder_qr(double* A, double* b, int rows, int columns, double* x) {
  Eigen::Map<Eigen::MatrixXd> matrix(A, rows, columns);
  const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(matrix);
  Eigen::Map<Eigen::VectorXd>(x, columns) = qr.solve(Eigen::Map<Eigen::VectorXd>(b, rows));
  return true;
}
}
