#include "damage.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace damage {
namespace {

using steelyard::Random;

struct Span {
  std::size_t begin = 0;
  std::size_t size = 0;
};

int line_of(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The places where the pattern's first group matches.
std::vector<Span> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<Span> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back(
        {static_cast<std::size_t>(match->position(1)), static_cast<std::size_t>(match->length(1))});
  return found;
}

// One of the matches replaced.
Operator replacing(const char* name, std::string pattern, std::vector<std::string> by, bool at_line = true) {
  return {name, [=](const std::string& text, Random& random) -> std::optional<Damaged> {
            const std::vector<Span> places = matches(text, pattern);
            if (places.empty()) return std::nullopt;
            const Span place = places[random.below(places.size())];
            const std::string old = text.substr(place.begin, place.size);
            std::string word = by[random.below(by.size())];
            if (const std::size_t same = word.find('@'); same != std::string::npos)
              word.replace(same, 1, old);
            std::string damaged = text;
            damaged.replace(place.begin, place.size, word);
            return Damaged{damaged,
                           std::string(name) + ": '" + old + "' to '" + word.substr(0, 40) + "' in line " +
                               std::to_string(line_of(text, place.begin)),
                           at_line};
          }};
}

Operator whole(const char* name, std::function<std::string(const std::string&, Random&)> change,
               bool at_line) {
  return {name, [=](const std::string& text, Random& random) -> std::optional<Damaged> {
            return Damaged{change(text, random), name, at_line};
          }};
}

std::string utf16(const std::string& text) {
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

std::string noise(std::size_t size, Random& random) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random.below(256));
  return bytes;
}

// One line of the numbers, and one of its fields, changed.
Operator in_row(const char* name, std::function<void(std::vector<std::string>&, std::size_t)> change) {
  return {name, [=](const std::string& text, Random& random) -> std::optional<Damaged> {
            std::vector<std::string> lines;
            for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
              lines.push_back(text.substr(at, text.find('\n', at) - at));
            const std::size_t row = 1 + random.below(lines.size() - 1);
            std::vector<std::string> fields;
            std::string field;
            for (const char c : lines[row] + ",") {
              if (c != ',') {
                field += c;
                continue;
              }
              fields.push_back(field);
              field.clear();
            }
            change(fields, random.below(fields.size()));
            std::string line;
            for (const std::string& f : fields) line += (line.empty() ? "" : ",") + f;
            lines[row] = line;
            std::string damaged;
            for (const std::string& l : lines) damaged += l + "\n";
            return Damaged{damaged, std::string(name) + " in line " + std::to_string(row + 1), true};
          }};
}

Operator field_becomes(const char* name, const std::string& value) {
  return in_row(name, [value](std::vector<std::string>& fields, std::size_t k) { fields[k] = value; });
}

// One bit somewhere in this share of what follows the first bytes.
Operator flipped(const char* name, std::size_t first, double share) {
  return whole(
      name,
      [=](const std::string& text, Random& random) {
        std::string damaged = text;
        const auto max_bytes = static_cast<std::size_t>(share * static_cast<double>(text.size() - first));
        damaged[first + random.below(max_bytes)] ^= static_cast<char>(1 << random.below(8));
        return damaged;
      },
      false);
}

// These, and what is wrong in any format; `foreign` is how files of another one begin.
std::vector<Operator> with_binary(std::vector<Operator> operators, const std::string& foreign) {
  const std::vector<Operator> any = {
      whole(
          "cut",
          [](const std::string& text, Random& random) { return text.substr(0, random.below(text.size())); },
          false),
      whole(
          "noise", [](const std::string&, Random& random) { return noise(4000, random); }, false),
      whole(
          "noise behind a good beginning",
          [](const std::string& text, Random& random) { return text.substr(0, 60) + noise(4000, random); },
          false),
      whole(
          "foreign", [=](const std::string&, Random& random) { return foreign + noise(2000, random); },
          false),
      whole(
          "nothing", [](const std::string&, Random&) { return std::string(); }, false),
  };
  operators.insert(operators.end(), any.begin(), any.end());
  return operators;
}

}  // namespace

std::vector<Operator> yaml_operators() {
  const std::string key = R"((?:^|\n|[{,]) *(?:- )?\{?([a-z_]{2,}): )";
  // Plain numbers of keys that want numbers.
  const std::string number = R"((?:a|alpha|d|mass|rate|cutoff|order|seed|xx|yy|zz): (-?[0-9.]+)(?=[,}\n]))";
  return {
      replacing("unknown key", key, {"@_zz", "zz@", "@ @"}),
      replacing("no number", number,
                {"abc", "nan", ".inf", "1e999", "-1e400", "1 2", "2 +", "(1", "[1, 2]", "{x: 1}"}),
      replacing("nothing where a number belongs", number, {""}),
      replacing("anchor", number, {"&one @", "*one"}),
      replacing("bracket that never closes", R"(: (\[|\{))", {"[[[@", "{{{@", "\"@"}),
      replacing("tab as indentation", R"(\n( {2,})[a-z])", {"\t"}),
      {"key given twice",
       [](const std::string& text, Random& random) -> std::optional<Damaged> {
         const std::vector<Span> places = matches(text, R"(\n( *[a-z_]+: [^\n{\[]+)(?=\n))");
         if (places.empty()) return std::nullopt;
         const Span place = places[random.below(places.size())];
         const std::string line = text.substr(place.begin, place.size);
         return Damaged{std::string(text).insert(place.begin + place.size, "\n" + line), "twice: " + line,
                        true};
       }},
      {"cut inside a key",
       [](const std::string& text, Random& random) -> std::optional<Damaged> {
         const std::vector<Span> places = matches(text, R"(\n *([a-z_]{3,}): )");
         if (places.empty()) return std::nullopt;
         const Span place = places[random.below(places.size())];
         return Damaged{text.substr(0, place.begin + 2),
                        "cut in line " + std::to_string(line_of(text, place.begin)), false};
       }},
      whole(
          "another document", [](const std::string& text, Random&) { return text + "\n---\n" + text; }, true),
      whole(
          "zero byte",
          [](const std::string& text, Random& random) {
            return std::string(text).insert(random.below(text.size()), 1, '\0');
          },
          true),
      whole(
          "UTF-16", [](const std::string& text, Random&) { return utf16(text); }, false),
      whole(
          "noise", [](const std::string&, Random& random) { return "\x01" + noise(400, random); }, false),
      whole(
          "nothing", [](const std::string&, Random&) { return std::string(); }, false),
      whole(
          "only a list", [](const std::string&, Random&) { return std::string("- 1\n- 2\n"); }, true),
      whole(
          "deep", [](const std::string& text, Random&) { return text + "\nx: " + std::string(30000, '['); },
          true),
  };
}

std::vector<Operator> xml_operators() {
  return {
      replacing("no number",
                R"rx((?:xyz|rpy|value|ixx|izz|pos|mass|diaginertia|axis)="(-?[0-9][0-9. e-]*)")rx",
                {"abc", "nan", "inf", "1e999", "1,2", "0x", "${pi}", "1 2 3 4 5 6 7"}),
      replacing("tag renamed at its end only", R"(</([a-z]+)>)", {"@zz"}),
      replacing("attribute without quotes", R"rx(="([^"]*)" )rx", {"@\" x=y \""}),
      {"cut",
       [](const std::string& text, Random& random) -> std::optional<Damaged> {
         // The root's end is always lost.
         return Damaged{text.substr(0, 10 + random.below(text.rfind("</") - 10)), "cut", false};
       }},
      replacing("another root", R"(<(robot|mujoco))", {"machine"}),
      whole(
          "nothing", [](const std::string&, Random&) { return std::string(); }, false),
      whole(
          "noise", [](const std::string&, Random& random) { return "\x01" + noise(400, random); }, false),
      whole(
          "UTF-16", [](const std::string& text, Random&) { return utf16(text); }, false),
  };
}

std::vector<Operator> csv_operators() {
  return {
      field_becomes("word", "abc"),
      field_becomes("empty field", ""),
      field_becomes("NaN", "nan"),
      field_becomes("infinity", "-inf"),
      field_becomes("out of range", "1e999"),
      field_becomes("decimal comma", "0,5"),
      field_becomes("hexadecimal", "0x1p3"),
      field_becomes("quote that never closes", "\"1"),
      field_becomes("two numbers", "1 2"),
      whole(
          "zero byte",
          [](const std::string& text, Random& random) {
            return std::string(text).insert(random.below(text.size()), 1, '\0');
          },
          false),
      in_row("field missing",
             [](std::vector<std::string>& f, std::size_t k) { f.erase(f.begin() + std::ptrdiff_t(k)); }),
      in_row("field too many", [](std::vector<std::string>& f, std::size_t) { f.emplace_back("1"); }),
      in_row("time goes back", [](std::vector<std::string>& f, std::size_t) { f[0] = "-5"; }),
      replacing("column renamed", R"((?:^|,)([a-z]+[a-z0-9_A-Z]*)(?=[,\n]))", {"@zz", ""}, false),
      {"cut inside a row",
       [](const std::string& text, Random& random) -> std::optional<Damaged> {
         const std::vector<Span> places = matches(text, R"((,)[-0-9.e]+,[-0-9.e]+\n)");
         const std::size_t at = places[places.size() / 2 + random.below(places.size() / 2)].begin;
         return Damaged{text.substr(0, at), "cut in line " + std::to_string(line_of(text, at)), true};
       }},
      whole(
          "only the header",
          [](const std::string& text, Random&) { return text.substr(0, text.find('\n') + 1); }, false),
      whole(
          "one row",
          [](const std::string& text, Random&) {
            return text.substr(0, text.find('\n', text.find('\n') + 1) + 1);
          },
          false),
      whole(
          "nothing", [](const std::string&, Random&) { return std::string(); }, false),
      whole(
          "noise",
          [](const std::string&, Random& random) { return std::string(1, '\0') + noise(4000, random); },
          false),
      whole(
          "UTF-16", [](const std::string& text, Random&) { return utf16(text); }, false),
  };
}

std::vector<Operator> bag_operators() {
  // Checksums cover all up to the summary, which stands in the last part.
  return with_binary({flipped("a bit of the data", 8, 0.5)}, "STEELYARD FOLD\n");
}

std::vector<Operator> fold_operators() {
  return with_binary({flipped("a bit", 0, 1)}, "\x89MCAP0\r\n");
}

// Without checksums a changed number is a number: only what every reading meets is damaged.
std::vector<Operator> db3_operators() {
  return with_binary(
      {
          replacing("another type of message", "sensor_msgs/msg/(JointState)", {"JointStabe", "PointCloud"},
                    false),
          replacing("another encoding", "JointState(cdr)", {"xml", "CDR", "xdr"}, false),
          replacing("table under another name", "CREATE TABLE (topics|messages)", {"tropic_", "massage_"},
                    false),
          whole(
              "page lost",
              [](const std::string& text, Random& random) {
                const std::size_t page = 512, at = page * random.below(text.size() / page);
                const std::string lost = random.below(2) == 0 ? std::string(page, '\0') : noise(page, random);
                return std::string(text).replace(at, page, lost);
              },
              false),
          whole(
              "name of a frame that is longer than its message",
              [](const std::string& text, Random&) {
                // Behind the four bytes that say how numbers are stored and the eight of the stamp.
                const std::size_t at = text.find(std::string("\0\1\0\0", 4), 1024) + 12;
                return std::string(text).replace(at, 4, "\xff\xff\xff\x7f");
              },
              false),
      },
      "STEELYARD FOLD\n");
}

std::vector<Operator> json_operators() {
  return {
      replacing(
          "required key renamed",
          R"rx(\n  "(format_version|robot|samples|rows|passes|verdict|findings|residual|preparation|base|provenance)":)rx",
          {"@zz"}, false),
      replacing("word for a number", R"rx(\n  "(?:rows|samples|passes)": (-?[0-9.e+-]+))rx",
                {"\"abc\"", "null", "[1]", "NaN", "1e999"}, false),
      whole(
          "cut",
          [](const std::string& text, Random& random) {
            return text.substr(0, random.below(text.rfind('}')));
          },
          false),
      whole(
          "noise", [](const std::string&, Random& random) { return noise(500, random); }, false),
      whole(
          "deep", [](const std::string&, Random&) { return std::string(100000, '['); }, false),
      whole(
          "another version",
          [](const std::string& text, Random&) {
            return std::regex_replace(text, std::regex("\"format_version\": *[0-9]+"),
                                      "\"format_version\": 999");
          },
          false),
  };
}

Damaged damage(const std::string& good, const std::vector<Operator>& operators, int number) {
  for (std::size_t attempt = 0; attempt < operators.size(); ++attempt) {
    const Operator& chosen = operators[(static_cast<std::size_t>(number) + attempt) % operators.size()];
    Random random(15, chosen.name, static_cast<std::uint64_t>(number));
    if (auto damaged = chosen.apply(good, random)) return *damaged;
  }
  throw std::runtime_error("no damage applies");
}

}  // namespace damage
