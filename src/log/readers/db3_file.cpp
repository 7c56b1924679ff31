#include <fmt/format.h>

#include "bag_file.hpp"
#include "bytes.hpp"
#include "line_reader.hpp"
#ifdef STEELYARD_WITH_SQLITE3
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "unpack.hpp"
#endif

namespace steelyard::inline STEELYARD_ABI {

#ifdef STEELYARD_WITH_SQLITE3
namespace {

constexpr std::uint64_t kCheckedWhole = std::uint64_t{1} << 30;  // [bytes]; larger ones are not checked first
constexpr int kLongestMessage = 64 << 20;                        // [bytes]
constexpr unsigned char kZstandard[] = {0x28, 0xB5, 0x2F, 0xFD};

// The header gives the length of the file: 16-17 page size, 28-31 pages, valid when 24-27 equals 92-95.
void check_database(const std::string& path) {
  const InputBytes file(path);
  unsigned char header[100];
  if (file.size() < sizeof header)
    throw damaged_bag(path, "this is not an SQLite database, or it is truncated");
  file.read(0, header, sizeof header);
  if (std::memcmp(header, "SQLite format 3", 16) != 0)
    throw damaged_bag(path, "this is not an SQLite database");
  const std::uint64_t page = load_big<std::uint16_t>(header + 16);
  const std::uint64_t size = (page == 1 ? 65536 : page) * load_big<std::uint32_t>(header + 28);
  const bool valid = load_big<std::uint32_t>(header + 24) == load_big<std::uint32_t>(header + 92);
  if (valid && size > file.size())
    throw damaged_bag(path, fmt::format("the bag is truncated: it has {} bytes of {}", file.size(), size));
}

class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    // Without a write-ahead log the file is complete, and no other file is created next to it.
    struct stat status {};
    const bool has_log = ::stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
    std::string uri = "file:";
    for (const char c : path) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '/' || c == '.' || c == '_' || c == '-';
      uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    uri += has_log ? "?mode=ro" : "?mode=ro&immutable=1";
    sqlite3* handle = nullptr;
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE;
    const int code = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);
    if (code != SQLITE_OK) fail();
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestMessage);
    execute("PRAGMA trusted_schema=OFF");
    execute("PRAGMA cell_size_check=ON");
  }

  // Calls `row` with the statement standing on each row.
  template <class Row>
  void query(const char* text, std::int64_t argument, Row row) const {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), text, -1, &raw, nullptr) != SQLITE_OK) fail();
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
    if (sqlite3_bind_parameter_count(raw) > 0) sqlite3_bind_int64(raw, 1, argument);
    int code = sqlite3_step(raw);
    for (; code == SQLITE_ROW; code = sqlite3_step(raw)) row(raw);
    if (code != SQLITE_DONE) fail();
  }
  void execute(const char* text) const {
    query(text, 0, [](sqlite3_stmt*) {});
  }

 private:
  [[noreturn]] void fail() const {
    const int code = sqlite3_errcode(handle_.get());
    const std::string reason = sqlite3_errmsg(handle_.get());
    if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_BUSY || code == SQLITE_PERM)
      throw MachineError({"the bag cannot be read: " + reason,
                          {path_, 0, 0, {}},
                          {},
                          "check that no program is writing it"});
    if (code == SQLITE_NOMEM)  // a damaged length may request any amount
      throw damaged_bag(path_, "the bag is damaged, or one of its messages does not fit into memory");
    if (code == SQLITE_ERROR)  // missing tables or columns
      throw damaged_bag(path_, "this database is not a ROS 2 bag, or it is damaged: " + reason);
    throw damaged_bag(path_, "the bag is damaged: " + reason);
  }

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

std::string text_of(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
}

void check_pages(const Database& database, const std::string& path) {
  database.query("PRAGMA quick_check(1)", 0, [&](sqlite3_stmt* row) {
    const std::string answer = text_of(row, 0);
    if (answer != "ok") throw damaged_bag(path, "the bag is damaged: " + answer);
  });
}

void read_messages(const Database& database, Bag& bag, std::size_t topic, std::int64_t id,
                   const std::string& path) {
  database.query("SELECT timestamp, data FROM messages WHERE topic_id = ?1", id, [&](sqlite3_stmt* row) {
    const auto* data = static_cast<const unsigned char*>(sqlite3_column_blob(row, 1));
    const ByteSpan message(data,
                           data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(row, 1)));
    if (message.size() > 4 && std::equal(std::begin(kZstandard), std::end(kZstandard), message.begin())) {
      throw InputError({"the messages of this bag are compressed individually",
                        {path, 0, 0, {}},
                        {},
                        "convert it with `ros2 bag convert`, without compression or to MCAP"});
    }
    keep_message(bag, topic, sqlite3_column_int64(row, 0), message, path);
  });
}

}  // namespace

Bag read_db3(const std::string& path, const std::string& wanted) {
  check_database(path);
  const Database database(path);
  Bag bag;
  std::vector<std::int64_t> ids;
  database.query("SELECT id, name, type, serialization_format FROM topics ORDER BY id", 0,
                 [&](sqlite3_stmt* row) {
                   ids.push_back(sqlite3_column_int64(row, 0));
                   bag.topics.push_back({text_of(row, 1), text_of(row, 2), text_of(row, 3), 0, {}});
                 });
  if (InputBytes(path).size() <= kCheckedWhole) check_pages(database, path);
  for (std::size_t t = 0; t < bag.topics.size(); ++t) {
    if (keep_topic(bag.topics[t], wanted)) {
      read_messages(database, bag, t, ids[t], path);
      continue;
    }
    database.query("SELECT count(*) FROM messages WHERE topic_id = ?1", ids[t], [&](sqlite3_stmt* row) {
      bag.topics[t].count = static_cast<std::uint64_t>(sqlite3_column_int64(row, 0));
    });
  }
  return bag;
}

#else

Bag read_db3(const std::string& path, const std::string&) {
  throw MachineError(
      {"this build of Steelyard cannot read bags in SQLite",
       {path, 0, 0, {}},
       {},
       "install libsqlite3-dev and build with -DSTEELYARD_WITH_SQLITE3=ON, or convert the bag to MCAP"});
}

#endif

}  // namespace steelyard
