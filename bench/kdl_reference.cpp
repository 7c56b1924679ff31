#include "kdl_reference.hpp"

#include <kdl/chain.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

namespace {

constexpr double kMass = 2.5;
constexpr double kCom[3] = {0.01, -0.02, 0.03};
constexpr double kInertia[6] = {0.02,  0.03,   0.025,
                                0.001, -0.002, 0.0015};  // xx yy zz xy xz yz, about the origin

KDL::Chain panda() {
  KDL::Chain chain;
  for (int i = 0; i < 7; ++i) {
    // As kdl_parser builds it: the joint's axis and origin in the parent's frame, the tip in the link's.
    const KDL::Frame tip = KDL::Frame::DH_Craig1989(kPanda.a[i], kPanda.alpha[i], kPanda.d[i], 0);
    const KDL::Vector com(kCom[0], kCom[1], kCom[2]);
    // KDL's constructor takes the inertia about the centre of mass.
    const double xx = kMass * (kCom[1] * kCom[1] + kCom[2] * kCom[2]);
    const double yy = kMass * (kCom[0] * kCom[0] + kCom[2] * kCom[2]);
    const double zz = kMass * (kCom[0] * kCom[0] + kCom[1] * kCom[1]);
    const KDL::RotationalInertia about_com(
        kInertia[0] - xx, kInertia[1] - yy, kInertia[2] - zz, kInertia[3] + kMass * kCom[0] * kCom[1],
        kInertia[4] + kMass * kCom[0] * kCom[2], kInertia[5] + kMass * kCom[1] * kCom[2]);
    chain.addSegment(KDL::Segment(KDL::Joint("", tip.p, tip.M.UnitZ(), KDL::Joint::RotAxis), tip,
                                  KDL::RigidBodyInertia(kMass, com, about_com)));
  }
  return chain;
}

}  // namespace

struct KdlReference::Solver {
  KDL::Chain chain = panda();
  KDL::ChainIdSolver_RNE solver{chain, KDL::Vector(0, 0, -9.81)};
  KDL::JntArray q{7}, qd{7}, qdd{7}, tau{7};
  KDL::Wrenches wrenches{7};
};

KdlReference::KdlReference() : solver_(std::make_unique<Solver>()) {}
KdlReference::~KdlReference() = default;

void KdlReference::torque(const double* q, const double* qd, const double* qdd, long stride, double* tau) {
  Solver& s = *solver_;
  for (int j = 0; j < 7; ++j) {
    s.q(j) = q[j * stride];
    s.qd(j) = qd[j * stride];
    s.qdd(j) = qdd[j * stride];
  }
  s.solver.CartToJnt(s.q, s.qd, s.qdd, s.wrenches, s.tau);
  for (int j = 0; j < 7; ++j) tau[j] = s.tau(j);
}

void KdlReference::parameters(double* to) {
  for (int i = 0; i < 7; ++i) {
    double* p = to + 10 * i;
    p[0] = kMass;
    for (int k = 0; k < 3; ++k) p[1 + k] = kMass * kCom[k];
    p[4] = kInertia[0], p[5] = kInertia[3], p[6] = kInertia[4];
    p[7] = kInertia[1], p[8] = kInertia[5], p[9] = kInertia[2];
  }
}
