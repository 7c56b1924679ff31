// What one does without folds: all rows in one matrix, then a least squares solver.
//
// The solvers live in a library of their own, compiled for this machine (-O3 -march=native) and sharing no
// types with ours: Eigen aligns differently there. A is rows × columns, column by column; A and b are
// overwritten, x is written.
#pragma once

extern "C" {
// LAPACK's dgelsd on one thread, of the OpenBLAS that was found when building (or the LAPACK, if there is no
// OpenBLAS); false when it is not there or fails.
bool solve_gelsd(double* A, double* b, int rows, int columns, double* x);
// The same by the reference LAPACK and BLAS of Debian, if they are installed.
bool solve_gelsd_reference(double* A, double* b, int rows, int columns, double* x);
// What solve_gelsd uses: "OpenBLAS 0.3.21 …", or "none".
const char* lapack_name();
// Eigen's HouseholderQR, in place.
bool solve_householder_qr(double* A, double* b, int rows, int columns, double* x);
}
