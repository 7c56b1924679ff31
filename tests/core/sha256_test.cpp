#include "steelyard/core/sha256.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "log/temporary_file.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

// FIPS 180-4 examples and NIST's additional vectors.
TEST(Sha256, MatchesTheVectorsOfNist) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256("\xbd"), "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
  EXPECT_EQ(sha256(std::string(55, '\0')),
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  EXPECT_EQ(sha256(std::string(56, '\0')),
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  EXPECT_EQ(sha256(std::string(57, '\0')),
            "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785");
  EXPECT_EQ(sha256(std::string(64, '\0')),
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t piece = 1; piece < 200; ++piece) {
    Sha256 pieces;
    for (std::size_t at = 0; at < text.size(); at += piece)
      pieces.add(std::string_view(text).substr(at, piece));
    Sha256 whole;
    whole.add(text);
    EXPECT_EQ(pieces.finish(), whole.finish()) << piece;
  }
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  // Around the size of the read buffer.
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 200000u}) {
    const std::string bytes(size, '\xa5');
    const TemporaryFile file(bytes);
    EXPECT_EQ(sha256_file(file.path()), sha256(bytes)) << size;
  }
}

// Without a writer, opening it would wait for ever.
TEST(Sha256, OfAPipeIsAnInputError) {
  const auto pipe = std::filesystem::temp_directory_path() / ("steelyard_pipe_" + std::to_string(getpid()));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(sha256_file(pipe.string()), InputError);
  EXPECT_THROW(sha256_file("/dev/zero"), InputError);
  std::filesystem::remove(pipe);
}

TEST(Sha256, OfNoFileIsAnInputError) {
  EXPECT_THROW(sha256_file("/nowhere/at/all"), InputError);
  EXPECT_THROW(sha256_file(std::filesystem::temp_directory_path().string()), InputError);
}

}  // namespace
}  // namespace steelyard
