/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of assay/cxx.h: questions, verdicts with their text, cases.  Include that. */
#ifndef ASSAY_CXX_CHECK_H
#define ASSAY_CXX_CHECK_H

#include <cstdio>
#include <cstdlib>

namespace assay {

/* ---- Verdicts -------------------------------------------------------------------------------- */

enum { SHOWN_MAX = 2000 }; /* Characters of what may be pasted. */

/* What a check found.  True if it conforms; text() says all of it otherwise. */
class Verdict {
 public:
  /* That nothing could be judged. */
  explicit Verdict(std::string error) : error_(std::move(error)) {}
  Verdict(assay_verdict_t *handle, const Program &program, std::string contract)
      : handle_(handle, assay_verdict_free), program_(program), contract_(std::move(contract)) {
    info_.struct_size = sizeof info_;
    assay_verdict_info(handle, &info_, nullptr);
  }

  explicit operator bool() const { return conforms(); }
  bool conforms() const { return handle_ && info_.outcome == ASSAY_CONFORMS; }
  bool diverges() const { return handle_ && info_.outcome == ASSAY_DIVERGES; }
  /* Zeros, NaN or twice the value everywhere would have conformed too. */
  bool is_vacuous() const { return handle_ && info_.outcome == ASSAY_VACUOUS; }
  /* Why nothing was judged: an argument is wrong, or the library failed. */
  const std::string &error() const { return error_; }
  const assay_verdict_info_t &info() const { return info_; }
  std::string replay() const { return handle_ ? assay_verdict_replay(handle_.get()) : ""; }
  /* The worst element's case alone, as a case line, and its results behind a tab; or "". */
  std::string smallest() const { return handle_ ? assay_verdict_smallest(handle_.get()) : ""; }

  /* What a test prints: what is wrong where, what is permitted, how much, what it could be, a case
   * to paste into a test, and how to judge it again. */
  std::string text() const {
    if (!error_.empty()) return error_;
    if (conforms()) return program_.op() + " conforms to contract '" + contract_ + "'";
    if (!diverges()) {
      std::string why = is_vacuous()
                            ? "zeros, NaN or twice the value everywhere would have conformed"
                            : info_.reason;
      return program_.line() + ": nothing was tested: " + why;
    }
    std::string text = program_.op() + " does not conform to contract '" + contract_ +
                       "': " + program_.types() + "\n" + found();
    const std::string alone = smallest();
    if (!alone.empty()) text += "\n" + pasted(alone);
    std::string command = replay();
    if (command.size() >= SHOWN_MAX && !alone.empty() && alone.size() < SHOWN_MAX) {
      size_t tab = alone.find('\t');
      command = "printf '%s\\t%s\\n' '" + alone.substr(0, tab) + "' '" + alone.substr(tab + 1) +
                "' | assay judge --contract '" + contract_ + "'";
    }
    return command.empty() ? text : text + "\n  replay:\n    " + shown(command, "command");
  }

  /* The lines on the worst element, counts and causes. */
  std::string found() const {
    std::string text = worst();
    if (*info_.cause_text != '\0') text += std::string("\n  cause: ") + info_.cause_text;
    if (*info_.algorithms != '\0') {
      text += std::string("\n  these results could come from: ") + info_.algorithms;
    }
    if (*info_.observed != '\0') {
      bool is_contract = std::strchr(info_.observed, '=') != nullptr;
      text += is_contract ? "\n  it would conform under: " : "\n  observed: ";
      text += info_.observed;
    }
    if (*info_.reading != '\0') {
      text += std::string("\n  it would conform with ") + info_.reading +
              ": say so, if that is what the kernel means";
    }
    return text;
  }

  /* What is so long that nobody pastes it is told by its length. */
  static std::string shown(const std::string &text, const char *what) {
    if (text.size() < SHOWN_MAX) return text;
    return "(the " + std::string(what) + " has " + std::to_string(text.size()) + " characters)";
  }

 private:
  static std::string value(const assay_value_t &value) {
    return *value.hex == '\0' ? value.decimal
                              : std::string(value.decimal) + "  (" + value.hex + ")";
  }

  std::string worst() const {
    std::string index;
    for (uint32_t d = 0; d < info_.worst_rank; d++) {
      index += (d > 0 ? "," : "") + std::to_string(info_.worst_index[d]);
    }
    std::string text = "  worst: result " + std::to_string(info_.worst_result) + " at [" + index +
                       "]" + (info_.worst_part != 0 ? " (imaginary part)" : "") + ", class " +
                       info_.class_name + "\n    got        " + value(info_.got);
    /* Each element of a row that contradicts itself is permitted by itself. */
    bool is_of_row = std::string(info_.class_name) == "shared";
    if (info_.has_interval && !is_of_row) {
      text += std::string("\n    permitted  ") + info_.permitted_low.decimal + " .. " +
              info_.permitted_high.decimal + "  (" + info_.permitted_low.hex + " .. " +
              info_.permitted_high.hex + ")";
    } else if (*info_.permitted != '\0') {
      text += std::string("\n    permitted  ") + info_.permitted;
    }
    if (*info_.exact.decimal != '\0') {
      text += std::string("\n    exact      ") + info_.exact.decimal;
    }
    char errors[40];
    std::snprintf(errors, sizeof errors, "%.4g", info_.ulp_error_max);
    text += std::string(is_of_row ? "\n  at least " : "\n  ") + std::to_string(info_.wrong_count) +
            " of " + std::to_string(info_.component_count) + " components are wrong";
    if (*info_.pattern != '\0') text += std::string(" (") + info_.pattern + ")";
    text += std::string("; largest error ") + errors + " ulp";
    if (info_.left_out_count > 0) {
      text += "\n  " + std::to_string(info_.left_out_count) + " components were not looked at";
    }
    return text;
  }

  static std::string pasted(const std::string &smallest) {
    size_t tab = smallest.find('\t');
    return "  smallest case, to paste into a test:\n    assay::CheckCase(\"" +
           shown(smallest.substr(0, tab), "case") + "\", kernel);\n  its results came as " +
           shown(smallest.substr(tab + 1), "data");
  }

  std::shared_ptr<assay_verdict_t> handle_;
  Program program_ = Program();
  std::string contract_, error_;
  assay_verdict_info_t info_ = assay_verdict_info_t();
};

/* ---- Questions ------------------------------------------------------------------------------- */

/* What a program means for these operands; check() holds results against it. */
class Question {
 public:
  Question(Program program, std::vector<Tensor> operands)
      : program_(std::move(program)), operands_(std::move(operands)) {}

  /* "wide" unless told otherwise: floats of 16 and 8 bits are computed with in f32. */
  Question &under(std::string contract) {
    contract_ = std::move(contract);
    return *this;
  }
  /* Seconds of processor time; of a product that would take longer a sample is judged. */
  Question &within(double seconds) {
    budget_ = seconds;
    return *this;
  }
  Question &seed(uint64_t seed) {
    seed_ = seed;
    return *this;
  }
  const Program &program() const { return program_; }
  const std::string &contract() const { return contract_; }

  Verdict check(const std::vector<Tensor> &results) const {
    if (!program_) return Verdict(program_.error());
    std::string error;
    std::vector<assay_tensor_t> ins = views(operands_, false, &error);
    std::vector<assay_tensor_t> outs = views(results, true, &error);
    if (!error.empty()) return Verdict(error);
    assay_contract_t *contract = nullptr;
    assay_error_t failed = new_error();
    if (assay_contract_new(contract_.c_str(), &contract, &failed) != ASSAY_OK) {
      return Verdict(failed.text);
    }
    assay_question_t asked = assay_question_t();
    asked.struct_size = sizeof asked;
    asked.program = program_.handle();
    asked.operands = ins.data();
    asked.results = outs.data();
    asked.operand_count = static_cast<uint32_t>(ins.size());
    asked.result_count = static_cast<uint32_t>(outs.size());
    asked.contract = contract;
    asked.seed = seed_;
    asked.budget_seconds = budget_;
    assay_verdict_t *verdict = nullptr;
    int32_t status = assay_check(context(), &asked, &verdict, &failed);
    assay_contract_free(contract);
    if (status != ASSAY_OK) return Verdict(failed.text);
    return Verdict(verdict, program_, contract_);
  }

 private:
  std::vector<assay_tensor_t> views(const std::vector<Tensor> &tensors, bool are_results,
                                    std::string *out_error) const {
    const uint32_t count = are_results ? assay_program_result_count(program_.handle())
                                       : assay_program_operand_count(program_.handle());
    const std::string what = are_results ? "result" : "operand";
    if (tensors.size() != count) {
      *out_error = std::to_string(tensors.size()) + " " + what + "s are given, and " +
                   program_.line() + " has " + std::to_string(count);
      return {};
    }
    std::vector<assay_tensor_t> seen;
    for (uint32_t i = 0; i < count; i++) {
      seen.push_back(tensors[i].view(program_.raw_type(i, are_results),
                                     what + " " + std::to_string(i), out_error));
    }
    return seen;
  }

  Program program_;
  std::vector<Tensor> operands_;
  std::string contract_ = "wide";
  double budget_ = 0;
  uint64_t seed_ = 0;
};

/* ---- Cases ----------------------------------------------------------------------------------- */

/* A program with operands of its own: drawn, or by its line, as a failure prints it. */
class Case {
 public:
  explicit Case(const char *line) {
    assay_case_t *handle = nullptr;
    assay_error_t error = new_error();
    if (assay_case_parse(line, &handle, &error) != ASSAY_OK) error_ = error.text;
    take(handle);
  }
  explicit Case(const assay_draw_t &draw) {
    assay_case_t *handle = nullptr;
    assay_error_t error = new_error();
    if (assay_case_draw(context(), &draw, &handle, &error) != ASSAY_OK) error_ = error.text;
    take(handle);
  }
  /* Takes the handle over. */
  explicit Case(assay_case_t *handle) { take(handle); }

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string &error() const { return error_; }
  std::string line() const { return *this ? assay_case_line(handle_.get()) : ""; }

  /* Its own: valid as long as the case and its copies. */
  assay_tensor_t operand(uint32_t index) const {
    assay_tensor_t operand = assay_tensor_t();
    operand.struct_size = sizeof operand;
    assay_case_operand(handle_.get(), index, &operand, nullptr);
    return operand;
  }
  const assay_program_handle_t *program() const { return assay_case_program(handle_.get()); }

 private:
  void take(assay_case_t *handle) {
    if (handle != nullptr) handle_.reset(handle, assay_case_free);
  }
  std::shared_ptr<assay_case_t> handle_;
  std::string error_;
};

}  // namespace assay

#endif
