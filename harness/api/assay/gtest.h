/* SPDX-License-Identifier: Apache-2.0 */
/* Assay in GoogleTest (1.12 or later, with its matchers; C++14): what a kernel returned, held
 * against what conforming implementations may return.
 *
 *   EXPECT_THAT(c, assay::Conforms(product, {a, b}));
 *   EXPECT_THAT(assay::Results({y, mean, variance}), assay::Conforms(norm, {x, scale, offset}));
 *   EXPECT_THAT(y, assay::Conforms(softmax, {x}).under("backend,ftz=both"));
 *
 * and drawn cases, of which the first is made small on which the kernel is wrong:
 *
 *   class Matmul : public assay::CasesTest {};
 *   TEST_F(Matmul, DrawnCases) {
 *     ForEachCase(assay::Draw("stablehlo.dot_general").types("f32").cases(200),
 *                 [](const assay::Run &run) {
 *                   if (!run.is_matmul()) return false;  // It does not do this program.
 *                   matmul(run.operand<float>(0), run.operand<float>(1), run.result<float>(0),
 *                          run.dims(0)[0], run.dims(0)[1], run.dims(1)[1]);
 *                   return true;
 *                 });
 *   }
 *
 * The environment changes what is drawn: ASSAY_CASES, ASSAY_SEED, ASSAY_CONTRACT. */
#ifndef ASSAY_GTEST_H
#define ASSAY_GTEST_H

#include <assay/cxx.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

namespace assay {

inline void PrintTo(const Tensor &tensor, std::ostream *out) {
  *out << "a tensor of " << tensor.element();
}

/* Of a program with several results. */
class Results {
 public:
  Results(std::initializer_list<Tensor> tensors) : tensors_(tensors) {}
  const std::vector<Tensor> &tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

inline void PrintTo(const Results &results, std::ostream *out) {
  *out << results.tensors().size() << " results";
}

/* ---- EXPECT_THAT ----------------------------------------------------------------------------- */

/* Matches what the program may return for these operands.  Data on which nothing could have failed
 * do not match either, unless or_vacuous() says so. */
class ConformsMatcher {
 public:
  using is_gtest_matcher = void;

  ConformsMatcher(Program program, std::vector<Tensor> operands)
      : question_(std::move(program), std::move(operands)) {}

  ConformsMatcher under(std::string contract) const {
    ConformsMatcher changed(*this);
    changed.question_.under(std::move(contract));
    return changed;
  }
  /* Of a large product a sample is judged; see assay_check(). */
  ConformsMatcher within(double seconds) const {
    ConformsMatcher changed(*this);
    changed.question_.within(seconds);
    return changed;
  }
  ConformsMatcher or_vacuous() const {
    ConformsMatcher changed(*this);
    changed.takes_vacuous_ = true;
    return changed;
  }

  bool MatchAndExplain(const Results &results, std::ostream *out) const {
    return explain(question_.check(results.tensors()), out);
  }
  template <typename T>
  bool MatchAndExplain(const T &result, std::ostream *out) const {
    return explain(question_.check({Tensor(result)}), out);
  }
  void DescribeTo(std::ostream *out) const {
    *out << "conforms to " << question_.program().line() << " under contract '"
         << question_.contract() << "'";
  }
  void DescribeNegationTo(std::ostream *out) const {
    *out << "is something that no conforming " << question_.program().line()
         << " returns under contract '" << question_.contract() << "'";
  }

 private:
  bool explain(const Verdict &verdict, std::ostream *out) const {
    if (out != nullptr) *out << "\n" << verdict.text();
    return verdict.conforms() || (verdict.is_vacuous() && takes_vacuous_);
  }

  Question question_;
  bool takes_vacuous_ = false;
};

inline ConformsMatcher Conforms(Program program, std::vector<Tensor> operands) {
  return ConformsMatcher(std::move(program), std::move(operands));
}

/* ---- Drawn cases ----------------------------------------------------------------------------- */

/* One call of a kernel: what it reads and where it writes, row-major. */
class Run {
 public:
  explicit Run(const assay_question_t *question) : question_(question) {}

  /* Memory of an operand, of a result.  The types of a case are those that were asked for; a T of
   * another size than the elements have ends the program. */
  template <typename T>
  const T *operand(uint32_t index) const {
    return static_cast<const T *>(
        memory(question_->operands, question_->operand_count, index, sizeof(T)));
  }
  template <typename T>
  T *result(uint32_t index) const {
    return static_cast<T *>(memory(question_->results, question_->result_count, index, sizeof(T)));
  }
  /* Sizes of an operand, of a result. */
  std::vector<int64_t> dims(uint32_t operand) const { return sizes(question_->operands[operand]); }
  std::vector<int64_t> result_dims(uint32_t result) const {
    return sizes(question_->results[result]);
  }
  std::string element(uint32_t operand) const { return question_->operands[operand].element; }

  std::string line() const { return assay_program_line(question_->program); }
  std::string op() const { return assay_program_op(question_->program); }
  /* An attribute as the case line spells it; "" if there is none. */
  std::string attribute(const std::string &key) const {
    const char *name = nullptr, *value = nullptr;
    for (uint32_t i = 0;
         assay_program_attribute(question_->program, i, &name, &value, nullptr) == ASSAY_OK; i++) {
      if (key == name) return value;
    }
    return "";
  }
  /* All integers in one, in order: {1, 0} of "[1]x[0]". */
  std::vector<int64_t> integers(const char *key) const {
    constexpr size_t integers_max = 64;
    std::vector<int64_t> values(integers_max);
    size_t count = 0;
    assay_program_integers(question_->program, key, values.data(), values.size(), &count, nullptr);
    values.resize(count < integers_max ? count : integers_max);
    return values;
  }
  /* A product of two matrices, [rows, terms] by [terms, columns]. */
  bool is_matmul() const {
    return op() == "stablehlo.dot_general" && dims(0).size() == 2 && dims(1).size() == 2 &&
           integers("batch").empty() && integers("contract") == std::vector<int64_t>{1, 0};
  }
  /* The only dimension in attribute `key` ("axis", "dims") is the last one of operand 0. */
  bool is_along_last(const char *key) const {
    return integers(key) == std::vector<int64_t>{static_cast<int64_t>(dims(0).size()) - 1};
  }

 private:
  static std::vector<int64_t> sizes(const assay_tensor_t &tensor) {
    return std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank);
  }
  void *memory(const assay_tensor_t *tensors, uint32_t count, uint32_t index, size_t bytes) const;

  const assay_question_t *question_;
};

/* What is drawn, how much, and under which contract it is judged. */
class Draw {
 public:
  explicit Draw(const char *op) : op_(op) {}
  /* Data for one program. */
  explicit Draw(Program program) : program_(std::make_shared<Program>(std::move(program))) {}

  Draw &types(std::string types) { return set(types_, std::move(types)); }
  Draw &strata(std::string strata) { return set(strata_, std::move(strata)); }
  Draw &under(std::string contract) { return set(contract_, std::move(contract)); }
  Draw &cases(uint64_t count) { return set(cases_, count); }
  Draw &seed(uint64_t seed) { return set(seed_, seed); }

  uint64_t case_count() const { return number("ASSAY_CASES", cases_); }
  uint64_t first_seed() const { return number("ASSAY_SEED", seed_); }
  std::string contract() const {
    const char *told = std::getenv("ASSAY_CONTRACT");
    return told != nullptr && *told != '\0' ? told : contract_;
  }
  Case draw(uint64_t seed) const {
    assay_draw_t draw = assay_draw_t();
    draw.struct_size = sizeof draw;
    draw.op = program_ ? nullptr : op_.c_str();
    draw.types = types_.empty() ? nullptr : types_.c_str();
    draw.strata = strata_.empty() ? nullptr : strata_.c_str();
    draw.program = program_ ? program_->handle() : nullptr;
    draw.seed = seed;
    return Case(draw);
  }
  std::string error() const { return program_ ? program_->error() : ""; }

 private:
  template <typename T>
  Draw &set(T &member, T value) {
    member = std::move(value);
    return *this;
  }
  static uint64_t number(const char *variable, uint64_t otherwise) {
    const char *told = std::getenv(variable);
    return told != nullptr && *told != '\0' ? std::strtoull(told, nullptr, 10) : otherwise;
  }

  std::string op_, types_, strata_, contract_ = "wide";
  std::shared_ptr<Program> program_;
  uint64_t cases_ = 100, seed_ = 1;
};

}  // namespace assay

#include <assay/gtest_cases.h>

#endif
