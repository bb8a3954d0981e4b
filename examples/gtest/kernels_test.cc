/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels by tolerances, as they are tested mostly; on the same data by what conforms; and on
 * data that are drawn. */
#include "kernels.h"

#include <assay/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr int64_t kRows = 16, kTerms = 128, kColumns = 8, kSize = 32;
constexpr float kEpsilon = 1e-5f;

/* Of numbers from 0 to 1, or normal ones. */
std::vector<float> uniform(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float &value : values) value = static_cast<float>(engine()) / 4294967296.0f;
  return values;
}
std::vector<float> normal(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float &value : values) {
    float sum = 0;
    for (int i = 0; i < 12; i++) sum += static_cast<float>(engine()) / 4294967296.0f;
    value = sum - 6;
  }
  return values;
}

/* Rounded towards zero. */
std::vector<uint16_t> to_bf16(const std::vector<float> &values) {
  std::vector<uint16_t> rounded;
  for (float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    rounded.push_back(static_cast<uint16_t>(bits >> 16));
  }
  return rounded;
}
double from_bf16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

/* |got - expected| <= atol + rtol |expected|, as numpy.testing.assert_allclose has it. */
void expect_allclose(double got, double expected, double rtol, double atol) {
  EXPECT_NEAR(got, expected, atol + rtol * std::fabs(expected));
}

/* ---- A product of matrices ------------------------------------------------------------------- */

class Matmul : public assay::CasesTest {
 protected:
  std::vector<uint16_t> a = to_bf16(uniform(kRows * kTerms, 1));
  std::vector<uint16_t> b = to_bf16(uniform(kTerms * kColumns, 2));
  std::vector<uint16_t> c = std::vector<uint16_t>(kRows * kColumns);

  void SetUp() override { matmul_bf16(a.data(), b.data(), c.data(), kRows, kTerms, kColumns); }
};

TEST_F(Matmul, IsCloseTo) {
  for (int64_t i = 0; i < kRows; i++) {
    for (int64_t j = 0; j < kColumns; j++) {
      double expected = 0;
      for (int64_t k = 0; k < kTerms; k++) {
        expected += from_bf16(a[i * kTerms + k]) * from_bf16(b[k * kColumns + j]);
      }
      expect_allclose(from_bf16(c[i * kColumns + j]), expected, 1e-2, 1e-2);
    }
  }
}

TEST_F(Matmul, Conforms) {
  const assay::Program product = assay::Op("stablehlo.dot_general")
                                     .dimension_pair("batch", {}, {})
                                     .dimension_pair("contract", {1}, {0})
                                     .operand("bf16", {kRows, kTerms})
                                     .operand("bf16", {kTerms, kColumns})
                                     .result("bf16", {kRows, kColumns});
  EXPECT_THAT(assay::tensor(c).as("bf16"),
              assay::Conforms(product, {assay::tensor(a).as("bf16"), assay::tensor(b).as("bf16")}));
}

TEST_F(Matmul, DrawnCases) {
  ForEachCase(assay::Draw("stablehlo.dot_general").types("bf16,bf16->bf16").cases(60),
              [](const assay::Run &run) {
                if (!run.is_matmul() || !run.attribute("algorithm").empty()) return false;
                matmul_bf16(run.operand<uint16_t>(0), run.operand<uint16_t>(1),
                            run.result<uint16_t>(0), run.dims(0)[0], run.dims(0)[1],
                            run.dims(1)[1]);
                return true;
              });
}

/* ---- Layer norm ------------------------------------------------------------------------------ */

class LayerNorm : public ::testing::Test {
 protected:
  std::vector<float> x = normal(4 * kSize, 3), weight = normal(kSize, 4), bias = normal(kSize, 5);
  std::vector<float> y = std::vector<float>(4 * kSize);

  void SetUp() override {
    for (float &value : x) value *= 0.3f;
    layer_norm(x.data(), weight.data(), bias.data(), y.data(), 4, kSize, kEpsilon);
  }
};

TEST_F(LayerNorm, IsCloseTo) {
  for (int64_t row = 0; row < 4; row++) {
    const float *in = x.data() + row * kSize;
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < kSize; i++) mean += in[i] / static_cast<double>(kSize);
    for (int64_t i = 0; i < kSize; i++) {
      variance += (in[i] - mean) * (in[i] - mean) / static_cast<double>(kSize);
    }
    for (int64_t i = 0; i < kSize; i++) {
      double expected = (in[i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
      expect_allclose(y[row * kSize + i], expected, 1e-4, 1e-4);
    }
  }
}

TEST_F(LayerNorm, Conforms) {
  const assay::Program norm = assay::Op("byteir.layer_norm")
                                  .integers("axis", {1})
                                  .number("epsilon", kEpsilon)
                                  .operand<float>({4, kSize})
                                  .operand<float>({kSize})
                                  .operand<float>({kSize})
                                  .result<float>({4, kSize});
  EXPECT_THAT(y, assay::Conforms(norm, {x, weight, bias}));
}

}  // namespace
