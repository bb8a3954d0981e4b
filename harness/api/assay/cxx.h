/* SPDX-License-Identifier: Apache-2.0 */
/* assay.h for C++14 and later: tensors by their C++ types, programs and cases as values, and what a
 * failed test prints.  Header-only, throws nothing; assay/gtest.h has the same for GoogleTest.
 *
 *   assay::Program product("stablehlo.dot_general batch=[]x[] contract=[1]x[0] "
 *                          "f32[4,8] f32[8,3] -> f32[4,3]");
 *   assay::Verdict verdict = assay::Question(product, {a, b}).check({c});
 *   if (!verdict) puts(verdict.text().c_str());
 *
 * What is wrong with a program, tensors or arguments is told by the verdict, which then is false.
 * Tensors are borrowed: vectors, spans and pointers must live as long as what was made of them.
 * Objects are used by one thread at a time; copies may be used by several. */
#ifndef ASSAY_CXX_H
#define ASSAY_CXX_H

#include <assay/assay.h>

#include <complex>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

/* ---- Element types --------------------------------------------------------------------------- */

/* The element type of a C++ type.  For one of your own:
 *   template <> struct assay::ElementOf<my::bfloat16> { static const char *name() { return "bf16";
 * }
 * }; */
template <typename T, typename = void>
struct ElementOf {
  static_assert(sizeof(T) == 0,
                "assay: no element type is known for this C++ type; name one, as in "
                "assay::tensor(data).as(\"bf16\"), or specialize assay::ElementOf");
  static const char *name() { return ""; }
};
template <typename T>
struct ElementOf<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
  static const char *name() {
    return std::is_signed<T>::value ? (sizeof(T) == 1   ? "i8"
                                       : sizeof(T) == 2 ? "i16"
                                       : sizeof(T) == 4 ? "i32"
                                                        : "i64")
                                    : (sizeof(T) == 1   ? "ui8"
                                       : sizeof(T) == 2 ? "ui16"
                                       : sizeof(T) == 4 ? "ui32"
                                                        : "ui64");
  }
};
#define ASSAY_CXX_ELEMENT(type, spelling)            \
  template <>                                        \
  struct ElementOf<type> {                           \
    static const char *name() { return (spelling); } \
  }
ASSAY_CXX_ELEMENT(bool, "i1");
ASSAY_CXX_ELEMENT(float, "f32");
ASSAY_CXX_ELEMENT(double, "f64");
ASSAY_CXX_ELEMENT(std::complex<float>, "complex<f32>");
ASSAY_CXX_ELEMENT(std::complex<double>, "complex<f64>");
#ifdef __FLT16_MANT_DIG__
ASSAY_CXX_ELEMENT(_Float16, "f16");
#endif
#undef ASSAY_CXX_ELEMENT

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Memory of the caller's with its element type, and a shape where it is known: without one it is
 * that of the program, row-major.  Made of anything with data() and size() (std::vector, spans),
 * arrays, and numbers, which are copied. */
class Tensor {
 public:
  template <typename C, typename = decltype(std::declval<const C &>().data()),
            typename = decltype(std::declval<const C &>().size())>
  Tensor(const C &container)  // NOLINT: meant to be implicit, as are the next two.
      : Tensor(container.data(), static_cast<size_t>(container.size())) {}
  template <typename T, size_t N>
  Tensor(const T (&array)[N])
      : Tensor(reinterpret_cast<const std::remove_all_extents_t<T> *>(array),
               sizeof array / sizeof(std::remove_all_extents_t<T>)) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  Tensor(T number) : element_(ElementOf<T>::name()), bytes_(sizeof number), is_number_(true) {
    std::memcpy(number_, &number, sizeof number);
  }
  template <typename T>
  Tensor(const T *data, size_t count)
      : data_(data), element_(ElementOf<T>::name()), bytes_(sizeof(T)), count_(count) {}

  /* Its elements are of that type, whatever C++ calls them: uint16_t that are "bf16", uint8_t that
   * are "f8E4M3FN", int8_t that are "i4". */
  Tensor as(std::string element) const {
    Tensor changed(*this);
    changed.element_ = std::move(element);
    return changed;
  }
  Tensor shape(std::vector<int64_t> dims) const {
    Tensor changed(*this);
    changed.dims_ = std::move(dims);
    changed.has_shape_ = true;
    return changed;
  }
  /* Elements from one index to the next, for each dimension. */
  Tensor strides(const std::vector<int64_t> &elements) const {
    Tensor changed(*this);
    for (int64_t stride : elements) {
      changed.strides_.push_back(stride * static_cast<int64_t>(bytes_));
    }
    return changed;
  }

  const std::string &element() const { return element_; }
  bool has_shape() const { return has_shape_; }
  const std::vector<int64_t> &dims() const { return dims_; }

  /* As the library takes it where the program has `type`; what does not fit is told in `out_error`.
   */
  assay_tensor_t view(const assay_tensor_t &type, const std::string &what,
                      std::string *out_error) const {
    assay_tensor_t seen = type;
    seen.element = element_.c_str();
    seen.data = const_cast<void *>(is_number_ ? number_ : data_);
    if (has_shape_) {
      seen.rank = static_cast<uint32_t>(dims_.size());
      seen.dims = dims_.data();
      seen.strides = strides_.empty() ? nullptr : strides_.data();
      if (!strides_.empty() && strides_.size() != dims_.size()) {
        *out_error = what + " has " + std::to_string(strides_.size()) + " strides and " +
                     std::to_string(dims_.size()) + " dimensions";
      }
      return seen;
    }
    size_t count = 1;
    for (uint32_t d = 0; d < type.rank; d++) count *= static_cast<size_t>(type.dims[d]);
    if (count != (is_number_ ? 1 : count_)) {
      *out_error = what + " has " + std::to_string(count_) + " elements, and the program's has " +
                   std::to_string(count);
    } else if (element_ != type.element && std::strncmp(type.element, "!quant", 6) != 0) {
      *out_error = what + " is " + element_ + " by its C++ type, and the program has " +
                   type.element + ": say which it is, as in assay::tensor(data).as(\"" +
                   type.element + "\")";
    }
    return seen;
  }

 private:
  const void *data_ = nullptr;
  std::string element_;
  size_t bytes_ = 0, count_ = 1;
  std::vector<int64_t> dims_, strides_;
  bool has_shape_ = false, is_number_ = false;
  alignas(16) unsigned char number_[16] = {};
};

/* Of a pointer: its shape, row-major unless strides() says otherwise. */
template <typename T>
Tensor tensor(const T *data, std::vector<int64_t> dims) {
  size_t count = 1;
  for (int64_t size : dims) count *= static_cast<size_t>(size);
  return Tensor(data, count).shape(std::move(dims));
}
/* Of a container, so that .as(), .shape() and .strides() can follow. */
template <typename C>
Tensor tensor(const C &container) {
  return Tensor(container);
}

/* ---- Programs -------------------------------------------------------------------------------- */

inline assay_error_t new_error() {
  assay_error_t error = assay_error_t();
  error.struct_size = sizeof error;
  return error;
}

/* The context of this thread. */
inline assay_context_t *context() {
  struct Holder {
    assay_context_t *held = nullptr;
    Holder() { assay_context_new(&held, nullptr); }
    ~Holder() { assay_context_free(held); }
  };
  thread_local Holder holder;
  return holder.held;
}

/* One op with its attributes and types: from its line, or built by Op.  False if it is not valid;
 * then error() says why. */
class Program {
 public:
  Program(const char *line) {  // NOLINT: meant to be implicit, as is the next.
    assay_program_handle_t *handle = nullptr;
    assay_error_t error = new_error();
    if (assay_program_parse(line, &handle, &error) != ASSAY_OK) error_ = error.text;
    take(handle);
  }
  Program(const std::string &line) : Program(line.c_str()) {}

  explicit operator bool() const { return handle_ != nullptr; }
  const std::string &error() const { return error_; }
  const assay_program_handle_t *handle() const { return handle_.get(); }
  std::string line() const { return *this ? assay_program_line(handle()) : "an invalid program"; }
  std::string op() const { return *this ? assay_program_op(handle()) : ""; }

  /* "f32[4,8], f32[8,3] -> f32[4,3]" */
  std::string types() const {
    std::string text;
    uint32_t operands = assay_program_operand_count(handle());
    for (uint32_t i = 0; i < operands; i++) text += (i > 0 ? ", " : "") + type(i, false);
    text += " ->";
    uint32_t results = assay_program_result_count(handle());
    for (uint32_t i = 0; i < results; i++) text += (i > 0 ? ", " : " ") + type(i, true);
    return text;
  }
  std::string type(uint32_t index, bool of_result) const {
    assay_tensor_t type = raw_type(index, of_result);
    std::string text = type.element == nullptr ? "?" : type.element;
    for (uint32_t d = 0; d < type.rank; d++) {
      text += (d > 0 ? "," : "[") + std::to_string(type.dims[d]);
    }
    return text + (type.rank > 0 ? "]" : "[]");
  }
  assay_tensor_t raw_type(uint32_t index, bool of_result) const {
    assay_tensor_t type = assay_tensor_t();
    type.struct_size = sizeof type;
    if (of_result) {
      assay_program_result_type(handle(), index, &type, nullptr);
    } else {
      assay_program_operand_type(handle(), index, &type, nullptr);
    }
    return type;
  }

 private:
  friend class Op;
  friend class Case;
  friend class Verdict;
  friend class Run;
  Program() = default;
  void take(assay_program_handle_t *handle) {
    if (handle != nullptr) handle_.reset(handle, assay_program_free);
  }
  std::shared_ptr<assay_program_handle_t> handle_;
  std::string error_;
};

/* Builds a program from typed attributes, named and typed as harness/model/case_line.md has them:
 *
 *   assay::Program p = assay::Op("stablehlo.dot_general")
 *                          .dimension_pair("batch", {}, {}).dimension_pair("contract", {1}, {0})
 *                          .operand<float>({4, 8}).operand<float>({8, 3}).result<float>({4, 3}); */
class Op {
 public:
  explicit Op(const std::string &name) {
    assay_program_handle_t *handle = nullptr;
    assay_error_t error = new_error();
    note(assay_program_new(name.c_str(), &handle, &error), error);
    program_.take(handle);
  }
  Op &integer(const char *key, int64_t value) {
    return call(assay_program_set_integer, key, value);
  }
  Op &number(const char *key, double value) { return call(assay_program_set_number, key, value); }
  Op &boolean(const char *key, bool value) {
    return call(assay_program_set_boolean, key, static_cast<int32_t>(value));
  }
  Op &text(const char *key, const char *value) { return call(assay_program_set_text, key, value); }
  Op &integers(const char *key, const std::vector<int64_t> &values) {
    return call(assay_program_set_integers, key, values.data(), values.size());
  }
  Op &dimension_pair(const char *key, const std::vector<int64_t> &left,
                     const std::vector<int64_t> &right) {
    if (left.size() != right.size() && program_.error_.empty()) {
      program_.error_ = std::string(key) + ": the two lists are not equally long";
    }
    return call(assay_program_set_dimension_pair, key, left.data(), right.data(),
                left.size() < right.size() ? left.size() : right.size());
  }
  /* Lists of two numbers: `padding`. */
  Op &pairs(const char *key, const std::vector<std::pair<int64_t, int64_t>> &rows) {
    std::vector<int64_t> flat;
    for (const auto &row : rows) {
      flat.push_back(row.first);
      flat.push_back(row.second);
    }
    return call(assay_program_set_integer_rows, key, flat.data(), rows.size(), size_t{2});
  }
  Op &operand(const char *element, const std::vector<int64_t> &dims) {
    return call(assay_program_add_operand, element, static_cast<uint32_t>(dims.size()),
                dims.data());
  }
  Op &result(const char *element, const std::vector<int64_t> &dims) {
    return call(assay_program_add_result, element, static_cast<uint32_t>(dims.size()), dims.data());
  }
  template <typename T>
  Op &operand(const std::vector<int64_t> &dims) {
    return operand(ElementOf<T>::name(), dims);
  }
  template <typename T>
  Op &result(const std::vector<int64_t> &dims) {
    return result(ElementOf<T>::name(), dims);
  }

  operator Program() {
    assay_error_t error = new_error();
    if (program_.error_.empty()) note(assay_program_finish(program_.handle_.get(), &error), error);
    if (!program_.error_.empty()) program_.handle_.reset();
    return program_;
  }

 private:
  void note(int32_t status, const assay_error_t &error) {
    if (status != ASSAY_OK && program_.error_.empty()) program_.error_ = error.text;
  }
  template <typename F, typename... A>
  Op &call(F function, A... arguments) {
    assay_error_t error = new_error();
    if (program_.handle_) note(function(program_.handle_.get(), arguments..., &error), error);
    return *this;
  }
  Program program_;
};

}  // namespace assay

#include <assay/cxx_check.h>

#endif
