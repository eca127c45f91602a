// Pinocchio's tree operators, one state after the other on one thread, on the models that `describe.py` has written.
//
// The model comes as plain text rather than URDF, so that all of Pinocchio is compiled here with this program's own
// flags (-O3 -march=native) and nothing depends on how its library was built. One program per GROUP: a single
// translation unit of all algorithms needs more memory than most machines have.
//
//   pinocchio_tree MODEL.txt NAME BATCH MILLISECONDS     prints one JSON record per operator
//
// `ns_per_state` leaves results where Pinocchio puts them, in its workspace, which the next state overwrites.
// `ns_per_state_kept` copies them to an array with one row per state, as a batched operator has to.
#include <pinocchio/multibody.hpp>
#if GROUP == 1
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#elif GROUP == 2
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#elif GROUP == 3
#include <pinocchio/algorithm/aba.hpp>
#elif GROUP == 4
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#elif GROUP == 5
#include <pinocchio/algorithm/aba-derivatives.hpp>
#endif
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace pin = pinocchio;
using Matrix = Eigen::MatrixXd;

// Per joint: parent, kind, axis, placement (R by rows, p), mass, centre of mass, inertia about it (xx xy yy xz yz zz).
static pin::Model read_model(const char *path) {
  std::ifstream file(path);
  int count = 0;
  file >> count;
  pin::Model model;
  model.gravity.linear() = Eigen::Vector3d(0, 0, -9.81);
  for (int i = 0; i < count; i++) {
    int parent = 0;
    std::string kind;
    Eigen::Vector3d axis, p, com;
    Eigen::Matrix3d R;
    double mass = 0, xx = 0, xy = 0, yy = 0, xz = 0, yz = 0, zz = 0;
    file >> parent >> kind >> axis(0) >> axis(1) >> axis(2);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) file >> R(r, c);
    file >> p(0) >> p(1) >> p(2) >> mass >> com(0) >> com(1) >> com(2) >> xx >> xy >> yy >> xz >> yz >> zz;
    const pin::SE3 placement(R, p);
    const std::string name = "joint" + std::to_string(i + 1);
    pin::JointIndex id = 0;
    if (kind == "free") id = model.addJoint(parent, pin::JointModelFreeFlyer(), placement, name);
    else if (kind == "x") id = model.addJoint(parent, pin::JointModelRX(), placement, name);
    else if (kind == "y") id = model.addJoint(parent, pin::JointModelRY(), placement, name);
    else if (kind == "z") id = model.addJoint(parent, pin::JointModelRZ(), placement, name);
    else if (kind == "any") id = model.addJoint(parent, pin::JointModelRevoluteUnaligned(axis), placement, name);
    else {
      std::fprintf(stderr, "joint %d: no kind %s\n", i + 1, kind.c_str());
      std::exit(1);
    }
    model.inertias[id] = pin::Inertia(mass, com, pin::Symmetric3(xx, xy, yy, xz, yz, zz));
  }
  if (!file) {
    std::fprintf(stderr, "%s ends early\n", path);
    std::exit(1);
  }
  return model;
}

struct Bench {
  const pin::Model &model;
  pin::Data data;
  std::string name;
  int batch;
  double seconds;
  Matrix q, v, a;     // one column per state
  std::vector<double> kept;  // one row per state

  Bench(const pin::Model &m, const char *model_name, int states, double budget)
      : model(m), data(m), name(model_name), batch(states), seconds(budget), q(m.nq, states), v(m.nv, states),
        a(m.nv, states), kept(std::size_t(states) * std::max(2 * m.nv * m.nv, 12 * m.njoints)) {
    std::mt19937_64 dice(1);
    std::uniform_real_distribution<double> u(-1, 1);
    for (int s = 0; s < batch; s++) {
      for (int i = 0; i < m.nq; i++) q(i, s) = u(dice);
      if (m.nq != m.nv) q.col(s).segment<4>(3).normalize();
      for (int i = 0; i < m.nv; i++) v(i, s) = u(dice), a(i, s) = u(dice);
    }
  }

  // Many passes over the whole batch in short pieces, of each piece the best time: another process on the machine can
  // only make one slower, and a short piece often escapes it.
  template <class Work> double best(Work work) {
    using clock = std::chrono::steady_clock;
    const int piece = 64;
    std::vector<double> best((batch + piece - 1) / piece, 1e300);
    const auto start = clock::now();
    for (int pass = 0; pass < 3 || std::chrono::duration<double>(clock::now() - start).count() < seconds; pass++) {
      for (std::size_t p = 0; p < best.size(); p++) {
        const int end = std::min(batch, int(p + 1) * piece);
        const auto before = clock::now();
        for (int s = int(p) * piece; s < end; s++) work(s);
        best[p] = std::min(best[p], std::chrono::duration<double, std::nano>(clock::now() - before).count());
      }
    }
    double sum = 0;
    for (double time : best) sum += time;
    return sum / batch;
  }

  template <class Work, class Keep> void report(const char *what, Work work, Keep keep) {
    const double bare = best(work);
    const double with = best([&](int s) { work(s), keep(s); });
    std::printf("{\"scene\":\"tree\",\"library\":\"pinocchio\",\"model\":\"%s\",\"operator\":\"%s\",\"batch\":%d,"
                "\"ns_per_state\":%.2f,\"ns_per_state_kept\":%.2f}\n",
                name.c_str(), what, batch, bare, with);
    std::fflush(stdout);
  }

  double *row(int s, long width) { return kept.data() + std::size_t(s) * width; }
  void keep_vector(int s, const Eigen::VectorXd &x) { Eigen::Map<Eigen::VectorXd>(row(s, model.nv), model.nv) = x; }
  void keep_matrix(int s, const Matrix &m, int which = 0, int of = 1) {
    const long n = m.size();
    Eigen::Map<Matrix>(row(s, of * n) + which * n, m.rows(), m.cols()) = m;
  }

  void run();
};

void Bench::run() {
#if GROUP == 1
  report("fk", [&](int s) { pin::forwardKinematics(model, data, q.col(s)); },
         [&](int s) {
           double *to = row(s, 12 * (model.njoints - 1));
           for (int j = 1; j < model.njoints; j++, to += 12) {
             Eigen::Map<Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> pose(to);
             pose.leftCols<3>() = data.oMi[j].rotation();
             pose.col(3) = data.oMi[j].translation();
           }
         });
  const pin::JointIndex tip = model.njoints - 1;
  pin::Data::Matrix6x J(6, model.nv);
  J.setZero();
  report("jacobian", [&](int s) { pin::computeJointJacobian(model, data, q.col(s), tip, J); },
         [&](int s) { Eigen::Map<pin::Data::Matrix6x>(row(s, J.size()), 6, model.nv) = J; });
#elif GROUP == 2
  report("rnea", [&](int s) { pin::rnea(model, data, q.col(s), v.col(s), a.col(s)); },
         [&](int s) { keep_vector(s, data.tau); });
  // Pinocchio fills the upper triangle only; keeping the whole matrix means copying it to the lower one, too
  report("crba", [&](int s) { pin::crba(model, data, q.col(s), pin::Convention::LOCAL); },
         [&](int s) {
           data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose();
           keep_matrix(s, data.M);
         });
#elif GROUP == 3
  report("aba", [&](int s) { pin::aba(model, data, q.col(s), v.col(s), a.col(s), pin::Convention::LOCAL); },
         [&](int s) { keep_vector(s, data.ddq); });
  report("aba_world", [&](int s) { pin::aba(model, data, q.col(s), v.col(s), a.col(s), pin::Convention::WORLD); },
         [&](int s) { keep_vector(s, data.ddq); });
#elif GROUP == 4
  report("rnea_derivatives", [&](int s) { pin::computeRNEADerivatives(model, data, q.col(s), v.col(s), a.col(s)); },
         [&](int s) { keep_matrix(s, data.dtau_dq, 0, 2), keep_matrix(s, data.dtau_dv, 1, 2); });
#elif GROUP == 5
  report("aba_derivatives", [&](int s) { pin::computeABADerivatives(model, data, q.col(s), v.col(s), a.col(s)); },
         [&](int s) { keep_matrix(s, data.ddq_dq, 0, 2), keep_matrix(s, data.ddq_dv, 1, 2); });
#endif
}

int main(int count, char **arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: %s MODEL.txt NAME BATCH MILLISECONDS\n", arguments[0]);
    return 2;
  }
  const pin::Model model = read_model(arguments[1]);
  Bench(model, arguments[2], std::atoi(arguments[3]), 1e-3 * std::atof(arguments[4])).run();
}
