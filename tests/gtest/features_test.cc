/* SPDX-License-Identifier: Apache-2.0 */
/* assay/gtest.h: what can be given, and what is told when something is wrong.  Built and run by
 * tests/cli/install/gtest.t against the installed headers. */
#include <assay/gtest.h>
#include <gtest/gtest-spi.h>

#include <array>
#include <cmath>

namespace {

using assay::CheckCase;
using assay::Conforms;
using assay::Draw;
using assay::tensor;
using ::testing::Not;

const char kAdd[] = "stablehlo.add f32[2,3] f32[2,3] -> f32[2,3]";

/* As std::span is, which C++14 has not. */
template <typename T>
struct Span {
  T *first;
  size_t count;
  T *data() const { return first; }
  size_t size() const { return count; }
};

/* ---- Tensors --------------------------------------------------------------------------------- */

TEST(Tensors, ContainersArraysPointers) {
  std::vector<float> a = {1, 2, 3, 4, 5, 6}, sum = {2, 4, 6, 8, 10, 13};
  std::array<float, 6> b = {{1, 2, 3, 4, 5, 6}};
  float c[2][3] = {{2, 4, 6}, {8, 10, 12}};
  EXPECT_THAT(c, Conforms(kAdd, {a, b}));
  EXPECT_THAT(c, Conforms(kAdd, {Span<float>{a.data(), a.size()}, tensor(b.data(), {2, 3})}));
  EXPECT_THAT(sum, Not(Conforms(kAdd, {a, b})));
  float transposed[3][2] = {{1, 4}, {2, 5}, {3, 6}};
  EXPECT_THAT(c, Conforms(kAdd, {a, tensor(&transposed[0][0], {2, 3}).strides({1, 2})}));
  EXPECT_THAT(c, Not(Conforms(kAdd, {a, tensor(&transposed[0][0], {2, 3})})));
}

TEST(Tensors, NumbersAsScalars) {
  std::vector<float> x = {1, 2, 4};
  EXPECT_THAT(8.0f,
              Conforms("stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]", {x, 1.0f}));
  EXPECT_THAT(7.5f,
              Not(Conforms("stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]", {x, 1.0f})));
}

TEST(Tensors, ElementTypes) {
  std::vector<double> d = {0.5, 3};
  std::vector<int8_t> i = {100, -3};
  std::vector<uint64_t> u = {1, 1ull << 63};
  std::vector<std::complex<float>> z = {{1, 2}, {3, 4}}, z2 = {{2, 4}, {6, 8}};
  EXPECT_THAT((std::vector<double>{1, 6}),
              Conforms("stablehlo.add f64[2] f64[2] -> f64[2]", {d, d}));
  EXPECT_THAT((std::vector<int8_t>{-56, -6}),
              Conforms("stablehlo.add i8[2] i8[2] -> i8[2]", {i, i}));
  EXPECT_THAT((std::vector<uint64_t>{2, 0}),
              Conforms("stablehlo.add ui64[2] ui64[2] -> ui64[2]", {u, u}));
  EXPECT_THAT(z2,
              Conforms("stablehlo.add complex<f32>[2] complex<f32>[2] -> complex<f32>[2]", {z, z}));
  bool yes[2] = {true, false};
  EXPECT_THAT(yes, Conforms("stablehlo.convert i1[2] -> i1[2]", {yes}));
}

TEST(Tensors, ElementTypesByName) {
  std::vector<uint16_t> one = {0x3f80, 0x4000}, two = {0x4000, 0x4080};
  EXPECT_THAT(tensor(two).as("bf16"), Conforms("stablehlo.add bf16[2] bf16[2] -> bf16[2]",
                                               {tensor(one).as("bf16"), tensor(one).as("bf16")}));
  std::vector<int8_t> four = {7, -8}, sum = {-2, 0};
  EXPECT_THAT(tensor(sum).as("i4"), Conforms("stablehlo.add i4[2] i4[2] -> i4[2]",
                                             {tensor(four).as("i4"), tensor(four).as("i4")}));
  std::vector<uint8_t> f8 = {0x38}, f8_twice = {0x40}; /* 1, 2 */
  EXPECT_THAT(tensor(f8_twice).as("f8E4M3FN"),
              Conforms("stablehlo.add f8E4M3FN[1] f8E4M3FN[1] -> f8E4M3FN[1]",
                       {tensor(f8).as("f8E4M3FN"), tensor(f8).as("f8E4M3FN")}));
}

struct MyHalf {
  uint16_t bits;
};

}  // namespace

namespace assay {
template <>
struct ElementOf<MyHalf> {
  static const char *name() { return "f16"; }
};
}  // namespace assay

namespace {

TEST(Tensors, TypesOfTheUser) {
  std::vector<MyHalf> one = {{0x3c00}}, two = {{0x4000}};
  EXPECT_THAT(two, Conforms("stablehlo.add f16[1] f16[1] -> f16[1]", {one, one}));
}

TEST(Tensors, SeveralResults) {
  std::vector<float> x = {1, 3}, scale = {1}, offset = {0}, y = {-1, 1}, mean = {2}, variance = {1};
  const char norm[] =
      "stablehlo.batch_norm_training epsilon=0x0p+0 feature_index=1 f32[2,1] f32[1] f32[1] -> "
      "f32[2,1] f32[1] f32[1]";
  EXPECT_THAT((assay::Results{y, mean, variance}), Conforms(norm, {x, scale, offset}));
  variance[0] = 2;
  EXPECT_THAT((assay::Results{y, mean, variance}), Not(Conforms(norm, {x, scale, offset})));
}

/* ---- What is told ---------------------------------------------------------------------------- */

std::string explain(const std::vector<float> &got, const assay::ConformsMatcher &matcher) {
  std::ostringstream text;
  return matcher.MatchAndExplain(got, &text) ? "it matches" : text.str();
}

void expect_told(const std::string &text, const std::string &words) {
  EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(Told, WhatIsWrong) {
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {2, 4, 6, 8, 10.5f, 12};
  std::string text = explain(y, Conforms(kAdd, {x, x}));
  expect_told(text,
              "stablehlo.add does not conform to contract 'wide': f32[2,3], f32[2,3] -> f32[2,3]");
  expect_told(text, "worst: result 0 at [1,1], class value");
  expect_told(text, "got        10.5  (0x1.5p+3)");
  expect_told(text, "permitted  10 .. 10  (0x1.4p+3 .. 0x1.4p+3)");
  expect_told(text, "1 of 6 components are wrong");
  expect_told(text,
              "assay::CheckCase(\"stablehlo.add f32[1,1] f32[1,1] -> f32[1,1] : 40a00000 : "
              "40a00000\", kernel);");
  expect_told(text, "its results came as 41280000");
  expect_told(text, "' | assay judge --contract 'wide'");
}

TEST(Told, AnotherReading) {
  std::vector<float> x = {1, 2, 4, 7}, y = {0.5, 0.5, -1, 2}, ones(4, 1), zeros(4);
  const double mean = 3.5, deviation = std::sqrt(5.25) + 0.125;
  for (size_t i = 0; i < 4; i++) y[i] = static_cast<float>((x[i] - mean) / deviation);
  const assay::Program norm = assay::Op("byteir.layer_norm")
                                  .integers("axis", {1})
                                  .number("epsilon", 0.125)
                                  .operand<float>({1, 4})
                                  .operand<float>({4})
                                  .operand<float>({4})
                                  .result<float>({1, 4});
  expect_told(explain(y, Conforms(norm, {x, ones, zeros})),
              "it would conform with eps_outside_sqrt=true: say so, if that is what");
}

TEST(Told, Contracts) {
  std::vector<float> tiny = {std::ldexp(1.0f, -140)}, zero = {0};
  const assay::Program add("stablehlo.add f32[1] f32[1] -> f32[1]");
  EXPECT_THAT(zero, Not(Conforms(add, {tiny, zero}).under("backend")));
  EXPECT_THAT(zero, Conforms(add, {tiny, zero}).under("backend,ftz=both").or_vacuous());
  expect_told(explain(zero, Conforms(add, {tiny, zero}).under("nonsense")), "nonsense");
}

TEST(Told, Vacuous) {
  const char sum[] = "stablehlo.reduce body=add dims=[0] f32[12] f32[] -> f32[]";
  std::vector<float> x(12, 1.0f);
  x[0] = 1e30f;
  x[6] = -1e30f;
  expect_told(explain({5.0f}, Conforms(sum, {x, 0.0f})), "nothing was tested");
  EXPECT_THAT(5.0f, Conforms(sum, {x, 0.0f}).or_vacuous());
}

TEST(Told, Misuse) {
  std::vector<float> x(6), five(5);
  std::vector<uint16_t> bits(6);
  expect_told(explain(x, Conforms(kAdd, {x})), "1 operands are given");
  expect_told(explain(x, Conforms(kAdd, {x, five})), "operand 1 has 5 elements");
  expect_told(explain(x, Conforms(kAdd, {x, bits})), "operand 1 is ui16 by its C++ type");
  expect_told(explain(x, Conforms(kAdd, {x, tensor(x.data(), {3, 2})})), "operand");
  expect_told(explain(x, Conforms(kAdd, {x, tensor(x.data(), {2, 3}).strides({1})})), "1 strides");
  expect_told(explain(x, Conforms("stablehlo.ad f32[6] -> f32[6]", {x})), "stablehlo.ad");
  const assay::Program unfinished = assay::Op("stablehlo.dot_general").operand<float>({2, 2});
  expect_told(explain(x, Conforms(unfinished, {x})), "dot_general");
  const assay::Program unlike = assay::Op("stablehlo.dot_general").dimension_pair("batch", {1}, {});
  expect_told(explain(x, Conforms(unlike, {x})), "not equally long");
}

/* ---- Drawn cases ----------------------------------------------------------------------------- */

bool is_sum_of_all(const assay::Run &run) {
  return run.attribute("body") == "add" && run.dims(0).size() == 1 && run.is_along_last("dims");
}
bool sum_rows(const assay::Run &run, int64_t left_out) {
  if (!is_sum_of_all(run)) return false;
  float sum = *run.operand<float>(1);
  for (int64_t i = 0; i < run.dims(0)[0] - left_out; i++) sum += run.operand<float>(0)[i];
  *run.result<float>(0) = sum;
  return true;
}
bool right(const assay::Run &run) { return sum_rows(run, 0); }
bool tailless(const assay::Run &run) {
  return is_sum_of_all(run) && sum_rows(run, run.dims(0)[0] > 4 ? 1 : 0);
}
bool unwritten(const assay::Run &run) { return is_sum_of_all(run); }
bool nothing(const assay::Run &) { return false; }

class Cases : public assay::CasesTest {
 public:
  static Draw sums() { return Draw("stablehlo.reduce").types("f32,f32->f32").cases(30); }
  void run(const Draw &draw, const assay::Kernel &kernel) { ForEachCase(draw, kernel); }
  void TestBody() override {}
};

TEST_F(Cases, OfAnOp) { ForEachCase(sums(), right); }

TEST_F(Cases, OfAProgram) {
  ForEachCase(
      Draw(assay::Program("stablehlo.reduce body=add dims=[0] f32[9] f32[] -> f32[]")).cases(20),
      right);
}

TEST(Faults, AreMadeSmall) {
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    Cases().run(Cases::sums().cases(500), tailless);
  }
  ASSERT_EQ(failures.size(), 1);
  std::string text = failures.GetTestPartResult(0).message();
  expect_told(text,
              "stablehlo.reduce does not conform to contract 'wide': stablehlo.reduce body=add "
              "dims=[0] f32[5] f32[] -> f32[]");
  expect_told(text, "of seed 1, made small from ");
  size_t begin = text.find("assay::CheckCase(\"") + 18;
  std::string line = text.substr(begin, text.find("\", kernel)") - begin);
  CheckCase(line.c_str(), right);
  EXPECT_NONFATAL_FAILURE(CheckCase(line.c_str(), tailless), "class value");
  EXPECT_NONFATAL_FAILURE(CheckCase(line.c_str(), nothing), "does not do");
  EXPECT_NONFATAL_FAILURE(CheckCase("stablehlo.add", right), "assay: ");
}

TEST(Faults, WhatIsLeftOut) {
  EXPECT_NONFATAL_FAILURE(Cases().run(Cases::sums(), unwritten), "class nan");
}

TEST(Faults, NothingJudged) {
  EXPECT_NONFATAL_FAILURE(Cases().run(Cases::sums().cases(1), nothing), "none was judged");
  EXPECT_NONFATAL_FAILURE(Cases().run(Draw("stablehlo.ad"), right),
                          "there is no op 'stablehlo.ad'");
  EXPECT_NONFATAL_FAILURE(Cases().run(Draw(assay::Program("x")), right), "no case is drawn");
}

}  // namespace
