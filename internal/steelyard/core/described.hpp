// What is written from descriptions (core/describe.hpp): JSON of a value, a JSON schema, rows for key tables.
#pragma once

#include "steelyard/core/describe.hpp"
#include "steelyard/core/json_writer.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Members of the object that is being written. What is not given is null.
void write_described(JsonWriter& json, const Fields::Part& part);

// plain: of files that programs write; a list is always a list, and there are no defaults.
// expressions: of files that people write; "pi/2" is a number, too.
enum class SchemaNumbers { plain, expressions };

// Writes the object {"type": "object", "properties": …, "required": …, "additionalProperties": false}.
void write_schema(JsonWriter& json, const Fields::Part& part, SchemaNumbers numbers);

// The same without its braces, behind members such as "$schema" and "title".
void write_schema_members(JsonWriter& json, const Fields::Part& part, SchemaNumbers numbers,
                          bool nullable = false);

// The text of docs/NAME.schema.json, of a file that programs write.
std::string schema_text(const char* title, const char* description, const Fields::Part& part);

// One key. Those of nested sections have dots, those of list items brackets: `filter.cutoff`, `runs[].file`,
// of maps by name braces: `drives.joints{}.friction`.
struct KeyRow {
  enum class Kind { number, count, flag, text, path, word, numbers, interval, texts, section, list, map };
  std::string path;
  Kind kind = Kind::number;
  std::string name, unit, meaning;
  std::string only;  // where the key acts; empty: wherever it is accepted
  bool required = false;
  Allowed allowed;
  std::vector<std::string> words;  // that are accepted, of a choice and beside other values
  std::string usual;               // default as JSON text; empty: none
  bool optional = false;           // a section that may be missing
};
std::vector<KeyRow> key_rows(const Fields::Part& part);
std::vector<std::string> key_names(const Fields::Part& part);  // of the part itself, without nested ones

// Lines of a Markdown table: key without `prefix`, default, values, meaning.
std::string markdown_table(const std::vector<KeyRow>& rows, const std::string& prefix = "");

}  // namespace steelyard
