#pragma once

#include <cstddef>
#include <vector>

// Follows one JSON value byte by byte, exactly as far as it is JSON: strings may hold any character. Pure.
class JsonScanner {
  public:
    enum class State {
        Open,      // a beginning of JSON
        Complete,  // the value ended with this byte (or, for a number, before it)
        Invalid,   // no JSON goes on like this
    };

    // Takes the next byte. After Complete or Invalid nothing more may be given.
    State push(char c);

    // The byte taken last is whole: no escape sequence has begun.
    bool is_settled() const { return token_ != Token::Escape && token_ != Token::Hex; }

    // Arrays and objects that are open.
    size_t depth() const { return open_.size(); }

  private:
    enum class Token { None, String, Escape, Hex, Number, Literal };
    enum class Expect { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd };
    enum class Number { Minus, Zero, Integer, Point, Fraction, Exponent, Sign, Digits };

    Token             token_  = Token::None;
    Expect            expect_ = Expect::Value;
    Number            number_ = Number::Minus;
    int               n_hex_  = 0;
    const char *      rest_   = "";  // of the literal
    bool              is_key_ = false;
    std::vector<char> open_;  // { or [

    State begin(char c);
    State push_string(char c);
    State push_number(char c);
    State end_value();
};

// Whether text is one whole JSON object.
bool is_json_object(const char * text, size_t n_bytes);
