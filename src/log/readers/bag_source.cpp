#include "bag_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "array_file.hpp"
#include "bag_file.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::int64_t kSecond = 1000000000;
constexpr const char* kStamp = "stamp";
constexpr const char* kReceived = "received";
constexpr std::size_t kMaxListed = 12;

bool is_type(const BagTopic& topic, std::string_view type) {
  // Older recorders wrote "sensor_msgs/JointState".
  std::string brief(type);
  brief.erase(brief.find("/msg"), 4);
  return topic.type == type || topic.type == brief;
}

bool is_readable(const BagTopic& topic) {
  return topic.encoding == "cdr" && (is_type(topic, kJointState) || is_type(topic, kMultiArray));
}

std::string topics_text(const Bag& bag) {
  std::string text;
  for (std::size_t t = 0; t < bag.topics.size(); ++t) {
    const BagTopic& topic = bag.topics[t];
    if (t == kMaxListed) return text + fmt::format(" and {} more", bag.topics.size() - t);
    text += fmt::format("{}{} ({}{}, {} messages)", t == 0 ? "" : ", ", quoted(topic.name),
                        topic.type.empty() ? "no type" : topic.type,
                        topic.encoding == "cdr" ? "" : " in " + topic.encoding, topic.count);
  }
  return text.empty() ? "no topic" : text;
}

// The topic to be read: the one that is named, otherwise the only one that can be read and has messages.
const BagTopic& choose_topic(const Bag& bag, const std::string& path, const std::string& wanted) {
  const Place place{path, 0, 0, {}};
  const std::string kinds = fmt::format("{} or {} in CDR", kJointState, kMultiArray);
  std::vector<const BagTopic*> found;
  for (const BagTopic& topic : bag.topics) {
    if (wanted.empty() ? is_readable(topic) && !topic.messages.empty() : topic.name == wanted)
      found.push_back(&topic);
  }
  if (found.empty()) {
    std::vector<std::string> names;
    for (const BagTopic& topic : bag.topics) names.push_back(topic.name);
    const std::string hint = wanted.empty() ? std::string() : did_you_mean(wanted, names);
    throw InputError(
        {wanted.empty() ? "the bag has no topic that can be read" : "there is no topic " + quoted(wanted),
         place,
         wanted.empty() ? fmt::format("{}; the bag has {}", kinds, topics_text(bag))
                        : "the bag has " + topics_text(bag),
         hint.empty() ? "give one of the bag's topics" : hint});
  }
  if (found.size() > 1) {
    throw InputError({fmt::format("{} topics of the bag can be read", found.size()), place,
                      "the bag has " + topics_text(bag), "give the topic"});
  }
  const BagTopic& topic = *found.front();
  if (!is_readable(topic)) {
    throw InputError(
        {fmt::format("topic {} holds {}{}", quoted(topic.name), topic.type.empty() ? "no type" : topic.type,
                     topic.encoding == "cdr" ? "" : " in " + topic.encoding),
         place,
         fmt::format("{}; the bag has {}", kinds, topics_text(bag)),
         {}});
  }
  if (topic.messages.empty())
    throw InputError({fmt::format("topic {} has no messages", quoted(topic.name)), place,
                      "the bag has " + topics_text(bag), "check the recording"});
  return topic;
}

// What one column is taken from: a stamp, an element of an array, or a joint's entry.
struct BagColumn {
  enum class Kind { stamp, received, element, position, velocity, effort } kind = Kind::stamp;
  std::string joint;
  std::size_t element = 0;
  bool operator==(const BagColumn&) const = default;
};

class BagColumns : public TableColumns {
 public:
  BagColumns(std::string path, Bag bag, const std::string& wanted)
      : path_(std::move(path)), bag_(std::move(bag)) {
    topic_ = choose_topic(bag_, path_, wanted);
    std::stable_sort(topic_.messages.begin(), topic_.messages.end(),
                     [](const BagMessage& a, const BagMessage& b) { return a.received < b.received; });
    joint_state_ = is_type(topic_, kJointState);
    list();
  }

  std::vector<std::string> names() const override { return names_; }

  int find(const std::string& name) const override {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known == names_.end()) throw InputError(unknown("column", name, names_, place()));
    const BagColumn column = columns_of_names_[static_cast<std::size_t>(known - names_.begin())];
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    if (found != columns_.end()) return static_cast<int>(found - columns_.begin());
    columns_.push_back(column);
    return static_cast<int>(columns_.size()) - 1;
  }

  std::string describe(int column) const override { return quoted(name_of(column)); }
  Place place(int column = -1) const override {
    return {path_, 0, 0, column < 0 ? topic_.name : topic_.name + " " + name_of(column)};
  }

  void check_size(const std::vector<int>& columns) const override {
    if (8 * topic_.messages.size() * columns.size() <= kArrayLimit) return;
    throw InputError({fmt::format("{} messages of {} columns would have to be held in memory",
                                  topic_.messages.size(), columns.size()),
                      place(), fmt::format("at most {} GiB", kArrayLimit >> 30),
                      "split the bag, or save it as CSV, which is streamed"});
  }

  Index samples(int) const override {
    load();
    return static_cast<Index>(times_);
  }

  void read(const std::vector<int>& columns, const std::vector<double*>& targets) const override {
    load();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::vector<double>& from = values_[static_cast<std::size_t>(columns[k])];
      std::copy(from.begin(), from.end(), targets[k]);
    }
  }

 private:
  using Kind = BagColumn::Kind;

  [[noreturn]] void fail(std::size_t message, const std::string& what, const std::string& remedy) const {
    throw InputError({fmt::format("message {} of topic {} {}", message + 1, quoted(topic_.name), what),
                      {path_, 0, 0, {}},
                      {},
                      remedy});
  }

  void parse(std::size_t message, JointStateView& view) const {
    const std::string problem = parse_joint_state(bag_.message(topic_.messages[message]), view);
    if (!problem.empty())
      fail(message, "cannot be read: " + problem,
           "check the recording, or truncate the bag before this message");
  }
  void parse(std::size_t message, CdrDoubles& data) const {
    const std::string problem = parse_multi_array(bag_.message(topic_.messages[message]), data);
    if (!problem.empty())
      fail(message, "cannot be read: " + problem,
           "check the recording, or truncate the bag before this message");
  }

  void add_name(std::string name, BagColumn column) {
    names_.push_back(std::move(name));
    columns_of_names_.push_back(std::move(column));
  }

  // All columns of the topic, joints in the order of their first appearance.
  void list() {
    if (joint_state_) add_name(kStamp, {Kind::stamp, {}, 0});
    add_name(kReceived, {Kind::received, {}, 0});
    std::vector<std::string> joints[3];
    std::set<std::string, std::less<>> seen[3];
    std::size_t elements = 0;
    for (std::size_t m = 0; m < topic_.messages.size(); ++m) {
      if (!joint_state_) {
        CdrDoubles data;
        parse(m, data);
        elements = std::max(elements, data.count);
        continue;
      }
      JointStateView view;
      parse(m, view);
      const CdrDoubles* fields[3] = {&view.position, &view.velocity, &view.effort};
      for (int f = 0; f < 3; ++f) {
        for (std::size_t j = 0; j < view.names.size() && fields[f]->count > 0; ++j) {
          if (seen[f].contains(view.names[j])) continue;
          seen[f].emplace(view.names[j]);
          joints[f].emplace_back(view.names[j]);
        }
      }
      if (m == 0) first_second_ = view.stamp / kSecond;
    }
    const std::pair<const char*, Kind> fields[3] = {
        {"position", Kind::position}, {"velocity", Kind::velocity}, {"effort", Kind::effort}};
    for (int f = 0; f < 3; ++f) {
      for (const std::string& joint : joints[f])
        add_name(fmt::format("{}[{}]", fields[f].first, joint), {fields[f].second, joint, 0});
    }
    for (std::size_t k = 0; k < elements; ++k)
      add_name(fmt::format("data[{}]", k + 1), {Kind::element, {}, k});
  }

  std::string name_of(int column) const {
    const BagColumn& wanted = columns_[static_cast<std::size_t>(column)];
    const auto found = std::find(columns_of_names_.begin(), columns_of_names_.end(), wanted);
    return names_[static_cast<std::size_t>(found - columns_of_names_.begin())];
  }

  // Values of the columns that were found, from every message that has them.
  void load() const {
    if (values_.size() == columns_.size()) return;
    values_.assign(columns_.size(), {});
    times_ = 0;
    for (std::size_t m = 0; m < topic_.messages.size(); ++m) {
      if (joint_state_) {
        load_joint_state(m);
      } else {
        load_multi_array(m);
      }
    }
    if (times_ == 0)
      throw InputError({"no message contains all joints", place(), {}, "check the joints' names"});
  }

  // Whole seconds are counted from the first message, so that nanoseconds survive in a double.
  double received_time(std::size_t m) const {
    const std::int64_t first = topic_.messages.front().received / kSecond * kSecond;
    return static_cast<double>(topic_.messages[m].received - first) / static_cast<double>(kSecond);
  }

  void load_multi_array(std::size_t m) const {
    CdrDoubles data;
    parse(m, data);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind == Kind::received) {
        values_[c].push_back(received_time(m));
      } else if (columns_[c].element < data.count) {
        values_[c].push_back(data.at(columns_[c].element));
      } else {
        fail(m,
             fmt::format("has {} numbers, but {} is requested", data.count,
                         quoted(name_of(static_cast<int>(c)))),
             "all messages must have the same number of values");
      }
    }
    ++times_;
  }

  // Where each column's joint stands among the names, −1: nowhere. Remembered while the names stay the same.
  const std::vector<int>& places(const JointStateView& view) const {
    const bool same =
        std::equal(view.names.begin(), view.names.end(), last_names_.begin(), last_names_.end());
    if (same && places_.size() == columns_.size()) return places_;
    last_names_.assign(view.names.begin(), view.names.end());
    places_.assign(columns_.size(), -1);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto at = std::find(view.names.begin(), view.names.end(), columns_[c].joint);
      if (at != view.names.end()) places_[c] = static_cast<int>(at - view.names.begin());
    }
    return places_;
  }

  void load_joint_state(std::size_t m) const {
    JointStateView view;
    parse(m, view);
    const std::vector<int>& at = places(view);
    int missing = -1, present = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].kind == Kind::stamp || columns_[c].kind == Kind::received) continue;
      if (at[c] < 0) missing = static_cast<int>(c);
      present += at[c] >= 0;
    }
    if (missing >= 0 && present == 0) return;  // of another publisher: a gripper, say
    if (missing >= 0) {
      fail(m,
           fmt::format("has other joints of the robot but not {}",
                       quoted(columns_[static_cast<std::size_t>(missing)].joint)),
           "the robot's joints must come in one message");
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
      values_[c].push_back(value(m, view, columns_[c], at[c]));
    ++times_;
  }

  double value(std::size_t m, const JointStateView& view, const BagColumn& column, int at) const {
    if (column.kind == Kind::received) return received_time(m);
    if (column.kind == Kind::stamp)
      return static_cast<double>(view.stamp - first_second_ * kSecond) / static_cast<double>(kSecond);
    const CdrDoubles& field = column.kind == Kind::position   ? view.position
                              : column.kind == Kind::velocity ? view.velocity
                                                              : view.effort;
    if (field.count != view.names.size()) {
      const char* word = column.kind == Kind::position   ? "positions"
                         : column.kind == Kind::velocity ? "velocities"
                                                         : "efforts";
      fail(m, fmt::format("has {} {} for {} joints", field.count, word, view.names.size()),
           "leave the channel out, or record it for all joints");
    }
    return field.at(static_cast<std::size_t>(at));
  }

  std::string path_;
  Bag bag_;
  BagTopic topic_;
  bool joint_state_ = false;
  std::int64_t first_second_ = 0;
  std::vector<std::string> names_;
  std::vector<BagColumn> columns_of_names_;
  mutable std::vector<BagColumn> columns_;  // those that were requested, by number
  mutable std::vector<std::vector<double>> values_;
  mutable std::size_t times_ = 0;
  mutable std::vector<std::string> last_names_;
  mutable std::vector<int> places_;
};

}  // namespace

BagFormat bag_format(const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == "db3") return BagFormat::db3;
  return ending == "mcap" ? BagFormat::mcap : BagFormat::none;
}

bool keep_topic(const BagTopic& topic, const std::string& wanted) {
  return is_readable(topic) && (wanted.empty() || topic.name == wanted);
}

void keep_message(Bag& bag, std::size_t topic, std::int64_t received, ByteSpan message,
                  const std::string& path) {
  if (received < 0)
    throw damaged_bag(path, "the bag is damaged: a message was received before 1970 or after 2262");
  if (bag.bytes.size() + message.size() > kArrayLimit) {
    throw InputError({"the bag has too many messages to hold in memory",
                      {path, 0, 0, {}},
                      fmt::format("at most {} GiB of messages", kArrayLimit >> 30),
                      "give the topic, split the bag, or save it as CSV, which is streamed"});
  }
  BagTopic& target = bag.topics[topic];
  target.messages.push_back({received, bag.bytes.size(), message.size()});
  ++target.count;
  bag.bytes.insert(bag.bytes.end(), message.begin(), message.end());
}

InputError damaged_bag(const std::string& path, const std::string& what) {
  return InputError({what, {path, 0, 0, {}}, {}, "check that it was recorded and copied completely"});
}

std::unique_ptr<TableColumns> open_bag_columns(const std::string& path, const std::string& topic) {
  Bag bag = bag_format(path) == BagFormat::db3 ? read_db3(path, topic) : read_mcap(path, topic);
  return std::make_unique<BagColumns>(path, std::move(bag), topic);
}

}  // namespace steelyard
