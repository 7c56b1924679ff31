#include "steelyard/engines/mujoco.hpp"

#include <fmt/format.h>

#include "steelyard/core/error.hpp"

#ifdef STEELYARD_MUJOCO_HEADERS

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>

namespace steelyard::inline STEELYARD_ABI {
namespace {

template <typename Function>
void find_function(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
}

// The functions we call. Null when the library is not installed or of another version than its headers.
struct Mujoco {
  decltype(mj_loadXML)* load = nullptr;
  decltype(mj_makeData)* make_data = nullptr;
  decltype(mj_deleteModel)* delete_model = nullptr;
  decltype(mj_deleteData)* delete_data = nullptr;
  decltype(mj_inverse)* inverse = nullptr;
  decltype(mj_fullM)* full_inertia = nullptr;
  decltype(mj_name2id)* number_of = nullptr;
  decltype(mj_version)* version = nullptr;

  bool complete() const {
    return load != nullptr && make_data != nullptr && delete_model != nullptr && delete_data != nullptr &&
           inverse != nullptr && full_inertia != nullptr && number_of != nullptr && version != nullptr &&
           version() == mjVERSION_HEADER;
  }
};

const Mujoco* open_mujoco() {
  static const Mujoco found = [] {
    Mujoco functions;
    void* library = nullptr;
    for (const char* name : {STEELYARD_MUJOCO_NAME, "libmujoco.so"})
      if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return functions;
    find_function(library, "mj_loadXML", functions.load);
    find_function(library, "mj_makeData", functions.make_data);
    find_function(library, "mj_deleteModel", functions.delete_model);
    find_function(library, "mj_deleteData", functions.delete_data);
    find_function(library, "mj_inverse", functions.inverse);
    find_function(library, "mj_fullM", functions.full_inertia);
    find_function(library, "mj_name2id", functions.number_of);
    find_function(library, "mj_version", functions.version);
    return functions;
  }();
  return found.complete() ? &found : nullptr;
}

// A model with its working memory, and the places of the joints that are requested.
class MujocoModel {
 public:
  MujocoModel(const Mujoco& engine, const std::string& path, const std::vector<std::string>& joints)
      : engine_(engine), model_(nullptr, engine.delete_model), data_(nullptr, engine.delete_data) {
    char error[1000] = "";
    model_.reset(engine.load(path.c_str(), nullptr, error, sizeof error));
    if (!model_)
      throw InputError({fmt::format("MuJoCo rejects the model: {}", error), {path, 0, 0, ""}, "", ""});
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_LIMIT;
    data_.reset(engine.make_data(model_.get()));
    for (int j = 0; j < model_->njnt; ++j)
      if (model_->jnt_type[j] != mjJNT_HINGE && model_->jnt_type[j] != mjJNT_SLIDE)
        throw InputError({"the model has a free or ball joint", {path, 0, 0, ""}, "hinge and slide", ""});
    for (const std::string& name : joints) {
      const int number = engine.number_of(model_.get(), mjOBJ_JOINT, name.c_str());
      if (number < 0)
        throw InputError({fmt::format("the model has no joint '{}'", name), {path, 0, 0, ""}, "", ""});
      places_.push_back(number);
    }
    for (int j = 0; joints.empty() && j < model_->njnt; ++j) places_.push_back(j);
  }

  ReverseAnswer ask(const VectorXd& q) {
    const auto n = static_cast<Index>(places_.size());
    if (q.size() != n)
      throw InputError({fmt::format("the model has {} joints, the robot {}", n, q.size()), {}, "", ""});
    std::memset(data_->qvel, 0, sizeof(mjtNum) * static_cast<std::size_t>(model_->nv));
    std::memset(data_->qacc, 0, sizeof(mjtNum) * static_cast<std::size_t>(model_->nv));
    for (Index j = 0; j < n; ++j)
      data_->qpos[model_->jnt_qposadr[places_[static_cast<std::size_t>(j)]]] = q[j];
    engine_.inverse(model_.get(), data_.get());
    const Index all = model_->nv;
    Eigen::MatrixXd M(all, all);
    engine_.full_inertia(model_.get(), M.data(), data_->qM);
    ReverseAnswer answer{VectorXd(n), MatrixXd(n, n)};
    for (Index i = 0; i < n; ++i) {
      const int row = model_->jnt_dofadr[places_[static_cast<std::size_t>(i)]];
      answer.gravity[i] = data_->qfrc_inverse[row];
      for (Index j = 0; j < n; ++j)
        answer.inertia(i, j) = M(row, model_->jnt_dofadr[places_[static_cast<std::size_t>(j)]]);
    }
    return answer;
  }

 private:
  const Mujoco& engine_;
  std::unique_ptr<mjModel, decltype(mj_deleteModel)*> model_;
  std::unique_ptr<mjData, decltype(mj_deleteData)*> data_;
  std::vector<int> places_;
};

}  // namespace

bool has_mujoco() {
  return open_mujoco() != nullptr;
}

ReverseSource mujoco_source(const std::string& path, const std::vector<std::string>& joints) {
  const Mujoco* engine = open_mujoco();
  if (engine == nullptr)
    throw MachineError({fmt::format("MuJoCo {} is not installed", mjVERSION_HEADER),
                        {},
                        "",
                        "install libmujoco, or write a small program as source (docs/reverse.md)"});
  const auto model = std::make_shared<MujocoModel>(*engine, path, joints);
  return [model](const VectorXd& q) { return model->ask(q); };
}

}  // namespace steelyard

#else

namespace steelyard::inline STEELYARD_ABI {

bool has_mujoco() {
  return false;
}

ReverseSource mujoco_source(const std::string& path, const std::vector<std::string>&) {
  throw MachineError(
      {fmt::format("{} needs MuJoCo, which was not available when this program was built", path),
       {},
       "",
       "install libmujoco-dev and build again, or write a small program as source"});
}

}  // namespace steelyard

#endif
