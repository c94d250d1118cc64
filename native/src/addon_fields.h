#pragma once

#include <napi.h>

#include <optional>
#include <string>
#include <vector>

// Reading the fields of a JavaScript object. JavaScript thread only. A missing field is a TypeError that names it.

inline Napi::Value field(const Napi::Object & object, const char * name) {
    Napi::Value value = object.Get(name);
    if (value.IsUndefined()) {
        throw Napi::TypeError::New(object.Env(),
                                   std::string("expected a value for ") + name + " but received undefined");
    }
    return value;
}

inline std::string string_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::String>().Utf8Value();
}

inline double number_field(const Napi::Object & object, const char * name) {
    return field(object, name).As<Napi::Number>().DoubleValue();
}

template <typename T>
std::optional<T> optional_number(const Napi::Object & object, const char * name) {
    const Napi::Value value = field(object, name);
    return value.IsNumber() ? std::optional<T>((T) value.As<Napi::Number>().DoubleValue()) : std::nullopt;
}

template <typename T, typename Convert>
std::vector<T> array_field(const Napi::Object & object, const char * name, Convert convert) {
    const auto     array = field(object, name).As<Napi::Array>();
    std::vector<T> out;
    out.reserve(array.Length());
    for (uint32_t i = 0; i < array.Length(); i++) {
        const Napi::HandleScope scope(object.Env());
        out.push_back(convert(array.Get(i)));
    }
    return out;
}
