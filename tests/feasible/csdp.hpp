// The same fit as a text for CSDP, and what its program says: one process a problem.
//
//   min t  with  [1, R x − z; (R x − z)ᵀ, t] ⪰ 0,  matrix blocks ⪰ 0,  rows ≥ 0
// written by hand here, without the library's own blocks.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Dense>

namespace steelyard::feasible_test {

struct Sdp {
  Eigen::MatrixXd R;
  Eigen::VectorXd z;
  // Matrix blocks: constant and one matrix per column (empty: zero).
  struct Matrix {
    Eigen::MatrixXd constant;
    std::vector<std::pair<Eigen::Index, Eigen::MatrixXd>> parts;
  };
  std::vector<Matrix> matrices;
  // a·x + b ≥ 0
  std::vector<std::pair<Eigen::VectorXd, double>> rows;
};

struct SdpAnswer {
  bool solved = false;
  double attained = 0;  // value of its x
  double bound = 0;     // of its multipliers
  std::string text;
};

inline bool csdp_is_there() {
  return std::system("csdp > /dev/null 2>&1") != 127 * 256 && std::filesystem::exists("/usr/bin/csdp");
}

inline void write_sdpa(const Sdp& sdp, const std::string& path) {
  // Squares through the triangular factor: R = Q [T; 0].
  const Eigen::Index n = sdp.R.cols();
  std::ofstream out(path);
  out << std::setprecision(17);
  out << n + 1 << "\n" << 1 + sdp.matrices.size() + (sdp.rows.empty() ? 0 : 1) << "\n";
  out << sdp.R.rows() + 1;
  for (const Sdp::Matrix& matrix : sdp.matrices) out << " " << matrix.constant.rows();
  if (!sdp.rows.empty()) out << " -" << sdp.rows.size();
  out << "\n";
  for (Eigen::Index k = 0; k < n; ++k) out << "0 ";
  out << "1\n";
  // SDPA: Σ F_k x_k − F_0 ⪰ 0, so constants change their sign. Columns count from 1, F_0 is column 0.
  const Eigen::Index last = sdp.R.rows() + 1;
  for (Eigen::Index i = 1; i < last; ++i) {
    out << "0 1 " << i << " " << i << " -1\n";
    if (sdp.z[i - 1] != 0) out << "0 1 " << i << " " << last << " " << sdp.z[i - 1] << "\n";
    for (Eigen::Index k = 0; k < n; ++k)
      if (sdp.R(i - 1, k) != 0) out << k + 1 << " 1 " << i << " " << last << " " << sdp.R(i - 1, k) << "\n";
  }
  out << n + 1 << " 1 " << last << " " << last << " 1\n";
  int block = 2;
  const auto write = [&](Eigen::Index column, const Eigen::MatrixXd& M, double sign) {
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      for (Eigen::Index j = i; j < M.cols(); ++j)
        if (M(i, j) != 0)
          out << column << " " << block << " " << i + 1 << " " << j + 1 << " " << sign * M(i, j) << "\n";
  };
  for (const Sdp::Matrix& matrix : sdp.matrices) {
    write(0, matrix.constant, -1);
    for (const auto& [column, part] : matrix.parts) write(column + 1, part, 1);
    ++block;
  }
  for (std::size_t r = 0; r < sdp.rows.size(); ++r) {
    const auto& [a, b] = sdp.rows[r];
    if (b != 0) out << "0 " << block << " " << r + 1 << " " << r + 1 << " " << -b << "\n";
    for (Eigen::Index k = 0; k < n; ++k)
      if (a[k] != 0) out << k + 1 << " " << block << " " << r + 1 << " " << r + 1 << " " << a[k] << "\n";
  }
}

inline SdpAnswer solve_with_csdp(Sdp sdp, const std::string& name) {
  // Fewer rows, same squares: what no x removes is added again below.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(sdp.R);
  const Eigen::Index kept = std::min(sdp.R.rows(), sdp.R.cols());
  const Eigen::VectorXd turned = qr.householderQ().transpose() * sdp.z;
  const double rest = turned.tail(turned.size() - kept).squaredNorm();
  sdp.R = Eigen::MatrixXd(qr.matrixQR().topRows(kept).triangularView<Eigen::Upper>());
  sdp.z = turned.head(kept);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard-csdp-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string problem = (folder / (name + ".dat-s")).string();
  write_sdpa(sdp, problem);
  std::ofstream(folder / "param.csdp")
      << "axtol=1e-9\natytol=1e-9\nobjtol=1e-9\npinftol=1e8\ndinftol=1e8\nmaxiter=200\nminstepfrac=0.90\n"
         "maxstepfrac=0.97\nminstepp=1e-10\nminstepd=1e-10\nusexzgap=1\ntweakgap=0\naffine=0\nprintlevel=1\n"
         "perturbobj=0\nfastmode=0\n";
  SdpAnswer out;
  const std::string command =
      "cd " + folder.string() + " && OMP_NUM_THREADS=1 csdp " + problem + " " + problem + ".sol 2>&1";
  if (FILE* pipe = ::popen(command.c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      out.text += line;
      std::sscanf(line, "Primal objective value: %lf", &out.bound);
      std::sscanf(line, "Dual objective value: %lf", &out.attained);
      if (std::string(line).find("Success: SDP solved") == 0) out.solved = true;
    }
    ::pclose(pipe);
  }
  out.bound += rest;
  out.attained += rest;
  std::filesystem::remove_all(folder);
  return out;
}

// P of the ten parameters, entry by entry.
inline std::vector<Eigen::MatrixXd> pseudo_inertia_parts() {
  std::vector<Eigen::MatrixXd> out(10, Eigen::MatrixXd::Zero(4, 4));
  const auto set = [&](int k, int i, int j, double value) {
    out[static_cast<std::size_t>(k)](i, j) = value;
    out[static_cast<std::size_t>(k)](j, i) = value;
  };
  set(0, 3, 3, 1);
  for (int axis = 0; axis < 3; ++axis) set(1 + axis, axis, 3, 1);
  // Σ = tr(J)/2 − J
  const int diagonal[3] = {4, 7, 9};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) set(diagonal[a], b, b, a == b ? -0.5 : 0.5);
  set(5, 0, 1, -1), set(6, 0, 2, -1), set(8, 1, 2, -1);
  return out;
}

// P_j ⪰ δ m_j diag(ℓ², ℓ², ℓ², 1) of every link; the first columns are ten per link.
inline void add_bodies(const Eigen::VectorXd& lengths, double margin, Sdp& sdp) {
  static const std::vector<Eigen::MatrixXd> parts = pseudo_inertia_parts();
  for (Eigen::Index link = 0; link < lengths.size(); ++link) {
    Sdp::Matrix matrix;
    matrix.constant = Eigen::MatrixXd::Zero(4, 4);
    for (int k = 0; k < 10; ++k) {
      Eigen::MatrixXd part = parts[static_cast<std::size_t>(k)];
      const double square = lengths[link] * lengths[link];
      if (k == 0) part -= margin * Eigen::Vector4d(square, square, square, 1).asDiagonal().toDenseMatrix();
      matrix.parts.emplace_back(10 * link + k, part);
    }
    sdp.matrices.push_back(matrix);
  }
}

// Columns and matrices in natural units: the same problem with entries near one.
inline void scale_columns(Sdp& sdp) {
  Eigen::VectorXd scale(sdp.R.cols());
  for (Eigen::Index k = 0; k < scale.size(); ++k) scale[k] = k % 10 == 0 ? 2 : k % 10 < 4 ? 0.4 : 0.08;
  sdp.R = sdp.R * scale.asDiagonal();
  for (auto& [a, b] : sdp.rows) a = a.cwiseProduct(scale);
  const Eigen::Vector4d side = Eigen::Vector4d(5, 5, 5, 1) / std::sqrt(2);
  for (Sdp::Matrix& matrix : sdp.matrices)
    for (auto& [column, part] : matrix.parts)
      part = Eigen::MatrixXd(side.asDiagonal() * part * side.asDiagonal()) * scale[column];
}

}  // namespace steelyard::feasible_test
