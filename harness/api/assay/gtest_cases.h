/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of assay/gtest.h: kernels that are run on drawn cases.  Include that. */
#ifndef ASSAY_GTEST_CASES_H
#define ASSAY_GTEST_CASES_H

#include <functional>

namespace assay {

/* False where it does not do the program. */
using Kernel = std::function<bool(const Run &)>;

/* Bytes of an element in memory: "f32", "i4", "complex<f64>", "!quant.uniform<i8:f32,...>". */
inline size_t element_bytes(const std::string &element) {
  if (element.compare(0, 8, "complex<") == 0) return 2 * element_bytes(element.substr(8));
  if (element.compare(0, 15, "!quant.uniform<") == 0) return element_bytes(element.substr(15));
  size_t digit = element.find_first_of("0123456789");
  if (digit == std::string::npos) return 1;
  unsigned long bits = std::strtoul(element.c_str() + digit, nullptr, 10);
  return bits < 8 ? 1 : bits / 8;
}

inline void *Run::memory(const assay_tensor_t *tensors, uint32_t count, uint32_t index,
                         size_t bytes) const {
  if (index >= count) {
    std::fprintf(stderr, "assay: there is no tensor %u; the program is %s\n", index,
                 line().c_str());
    std::abort();
  }
  if (element_bytes(tensors[index].element) != bytes) {
    std::fprintf(stderr, "assay: tensor %u is of %s, and is taken as elements of %zu bytes: %s\n",
                 index, tensors[index].element, bytes, line().c_str());
    std::abort();
  }
  return tensors[index].data;
}

/* Operands and results of a case, and the kernel's call on them. */
class Trial {
 public:
  Trial(const Case &instance, std::string contract)
      : case_(instance), program_(std::string(assay_program_line(instance.program()))) {
    contract_ = std::move(contract);
    uint32_t operands = assay_program_operand_count(case_.program());
    for (uint32_t i = 0; i < operands; i++) operands_.push_back(copied(case_.operand(i)));
    uint32_t results = assay_program_result_count(case_.program());
    for (uint32_t i = 0; i < results; i++) results_.push_back(room(program_.raw_type(i, true)));
  }

  /* False if the kernel does not do the program. */
  bool run(const Kernel &kernel) {
    assay_question_t asked = assay_question_t();
    asked.struct_size = sizeof asked;
    asked.program = case_.program();
    asked.operands = operands_.data();
    asked.results = results_.data();
    asked.operand_count = static_cast<uint32_t>(operands_.size());
    asked.result_count = static_cast<uint32_t>(results_.size());
    return kernel(Run(&asked));
  }

  /* Of what run() wrote, against the case's own operands. */
  Verdict check() const {
    std::vector<Tensor> operands, results;
    for (uint32_t i = 0; i < operands_.size(); i++) operands.push_back(seen(case_.operand(i)));
    for (const assay_tensor_t &result : results_) results.push_back(seen(result));
    return Question(program_, operands).under(contract_).check(results);
  }

  /* The smallest case on which the kernel diverges in the same class. */
  Case smallest(const Kernel &kernel) {
    assay_contract_t *contract = nullptr;
    assay_contract_new(contract_.c_str(), &contract, nullptr);
    assay_question_t asked = assay_question_t();
    std::vector<assay_tensor_t> operands;
    for (uint32_t i = 0; i < operands_.size(); i++) operands.push_back(case_.operand(i));
    asked.struct_size = sizeof asked;
    asked.program = case_.program();
    asked.operands = operands.data();
    asked.operand_count = static_cast<uint32_t>(operands.size());
    asked.contract = contract;
    assay_tested_kernel_t tested = assay_tested_kernel_t();
    tested.struct_size = sizeof tested;
    tested.run = call;
    tested.user = const_cast<void *>(static_cast<const void *>(&kernel));
    assay_case_t *small = nullptr;
    int32_t status = assay_shrink(context(), &asked, &tested, &small, nullptr, nullptr);
    assay_contract_free(contract);
    return status == ASSAY_OK ? Case(small) : case_;
  }

 private:
  static int32_t call(void *user, const assay_question_t *question) {
    const auto *kernel = static_cast<const Kernel *>(user);
    return (*kernel)(Run(question)) ? 0 : 1;
  }

  static size_t bytes_of(const assay_tensor_t &type) {
    size_t bytes = element_bytes(type.element);
    for (uint32_t d = 0; d < type.rank; d++) bytes *= static_cast<size_t>(type.dims[d]);
    return bytes;
  }
  /* Filled with what is NaN in floats, so that what a kernel leaves out is seen; with zeros where
   * not every pattern is a value. */
  assay_tensor_t room(assay_tensor_t type) {
    const std::string element = type.element;
    bool is_float = element.find_first_of("f") == 0 || element.compare(0, 2, "bf") == 0 ||
                    element.compare(0, 7, "complex") == 0;
    bool is_narrow = element.compare(0, 2, "f4") == 0 || element.compare(0, 2, "f6") == 0;
    memory_.emplace_back(bytes_of(type) + 1,
                         static_cast<unsigned char>(is_float && !is_narrow ? 0xff : 0));
    type.data = memory_.back().data();
    return type;
  }
  assay_tensor_t copied(const assay_tensor_t &operand) {
    assay_tensor_t copy = room(operand);
    if (bytes_of(operand) > 0) std::memcpy(copy.data, operand.data, bytes_of(operand));
    return copy;
  }
  static Tensor seen(const assay_tensor_t &tensor) {
    return Tensor(static_cast<const unsigned char *>(tensor.data), bytes_of(tensor))
        .as(tensor.element)
        .shape(std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank));
  }

  Case case_;
  Program program_;
  std::string contract_;
  std::vector<assay_tensor_t> operands_, results_;
  std::vector<std::vector<unsigned char>> memory_;
};

/* One case, by its line as a failure prints it. */
inline void CheckCase(const char *line, const Kernel &kernel,
                      const std::string &contract = "wide") {
  Case instance(line);
  if (!instance) {
    ADD_FAILURE() << "assay: " << instance.error();
    return;
  }
  Trial trial(instance, contract);
  bool is_run = trial.run(kernel);
  EXPECT_TRUE(is_run) << "the kernel does not do " << line;
  if (!is_run) return;
  Verdict verdict = trial.check();
  EXPECT_TRUE(verdict.conforms()) << verdict.text();
}

/* A fixture that runs a kernel on drawn cases. */
class CasesTest : public ::testing::Test {
 protected:
  /* Ends at the first case on which the kernel is wrong, with that made small.  Fails too if
   * nothing was judged. */
  void ForEachCase(const Draw &draw, const Kernel &kernel) {
    const uint64_t wanted = draw.case_count(), draws_max = 1000 + 100 * wanted;
    uint64_t judged = 0, vacuous = 0, drawn = 0;
    for (; judged < wanted && drawn < draws_max; drawn++) {
      Case instance = draw.error().empty() ? draw.draw(draw.first_seed() + (drawn << 20))
                                           : Case(static_cast<assay_case_t *>(nullptr));
      if (!instance) {
        ADD_FAILURE() << "assay: no case is drawn: " << draw.error() << instance.error();
        return;
      }
      Trial trial(instance, draw.contract());
      if (!trial.run(kernel)) continue;
      Verdict verdict = trial.check();
      if (verdict.diverges() || !verdict.error().empty()) {
        ADD_FAILURE() << failure(draw, instance, trial, kernel, drawn);
        return;
      }
      vacuous += verdict.is_vacuous();
      judged += verdict.conforms();
    }
    RecordProperty("assay_cases", std::to_string(judged));
    RecordProperty("assay_vacuous", std::to_string(vacuous));
    if (judged > 0) return;
    ADD_FAILURE() << "assay: of " << drawn
                  << " cases none was judged: the kernel did none of them (" << vacuous
                  << " had data on which nothing could have failed)";
  }

 private:
  static std::string failure(const Draw &draw, const Case &instance, Trial &trial,
                             const Kernel &kernel, uint64_t drawn) {
    Case small = trial.smallest(kernel);
    Trial again(small, draw.contract());
    bool is_small = again.run(kernel) && again.check().diverges();
    Verdict verdict = is_small ? again.check() : trial.check();
    if (!verdict.diverges()) return verdict.text() + "\n  case: " + instance.line();
    const Case &shown = is_small ? small : instance;
    std::string text =
        assay_program_op(shown.program()) + std::string(" does not conform to contract '") +
        draw.contract() + "': " + assay_program_line(shown.program()) + "\n" + verdict.found() +
        "\n  case " + std::to_string(drawn + 1) + " of seed " + std::to_string(draw.first_seed());
    if (is_small) {
      text += std::string(", made small from ") + assay_program_line(instance.program());
    }
    text += "\n  to paste into a test:\n    assay::CheckCase(\"" +
            Verdict::shown(shown.line(), "case") + "\", kernel);";
    if (verdict.replay().empty()) return text;
    return text + "\n  replay:\n    " + Verdict::shown(verdict.replay(), "command");
  }
};

}  // namespace assay

#endif
