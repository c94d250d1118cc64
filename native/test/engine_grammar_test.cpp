// Tools, schemas and grammars in the running engine: forced on models that want to say something else.
#include "answer_writer.h"
#include "engine_fixture.h"
#include "json.h"

// Keeps what the recorder does not: reasoning and tool calls by sequence.
class Answers {
  public:
    explicit Answers(const std::string & model, int32_t n_parallel = 4)
        : engine_(Model::load(options(model, n_parallel, 1024), [](float) { return true; }),
                  [this, sink = recorder_.sink()](std::vector<Event> && events) {
                      for (const Event & event : events) {
                          take(event);
                      }
                      sink(std::move(events));
                  }) {}

    Engine & engine() { return engine_; }

    Recorder::Stream wait(int64_t seq) { return recorder_.wait(seq); }

    Answer answer(int64_t seq) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return answers_[seq];
    }

    Recorder::Stream run(const Request & request) {
        engine_.submit(request);
        return wait(request.seq);
    }

  private:
    Recorder                  recorder_;
    std::mutex                mutex_;
    std::map<int64_t, Answer> answers_;
    Engine                    engine_;

    void take(const Event & event) {
        if (event.type == EventType::Delta) {
            const std::lock_guard<std::mutex> lock(mutex_);
            add(answers_[event.seq], { event.text, event.reasoning, event.tool_calls });
        }
    }
};

static const Tool WEATHER = { "get_weather", "Tells the weather.",
                              R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]})" };
static const Tool NOTE    = { "note", "Notes something.",
                              R"({"type":"object","properties":{"text":{"type":"string","maxLength":6},)"
                                 R"("stars":{"type":"integer","minimum":1,"maximum":5}},"required":["text","stars"],)"
                                 R"("additionalProperties":false})" };

static Request with_tools(int64_t seq, ToolChoice choice, const std::string & required = "") {
    Request request                   = chat(seq, 300);
    request.prompt.chat.tools         = { WEATHER, NOTE };
    request.prompt.chat.tool_choice   = choice;
    request.prompt.chat.required_tool = required;
    return request;
}

static void a_model_calls_a_tool() {
    Answers    answers("toolcall");
    const auto stream = answers.run(with_tools(1, ToolChoice::Auto));
    CHECK(stream.last.type == EventType::Done);
    CHECK(stream.last.finish_reason == FinishReason::ToolCalls);
    const Answer answer = answers.answer(1);
    CHECK_EQUAL(answer.content, std::string());
    CHECK_EQUAL(answer.calls.size(), (size_t) 1);
    CHECK_EQUAL(answer.calls[0].name, std::string("get_weather"));
    CHECK_EQUAL(answer.calls[0].arguments, std::string(R"({"city": "Rome"})"));

    // no call is parsed where none may be made
    const auto none = answers.run(with_tools(2, ToolChoice::None));
    CHECK(none.last.finish_reason == FinishReason::Eog);
    CHECK(answers.answer(2).calls.empty());
    CHECK(answers.answer(2).content.find("get_weather") != std::string::npos);

    Request cut      = with_tools(3, ToolChoice::Auto);
    cut.n_max_tokens = 12;
    CHECK(answers.run(cut).last.finish_reason == FinishReason::Length);
    CHECK_EQUAL(answers.answer(3).calls.size(), (size_t) 1);
    CHECK_EQUAL(answers.answer(3).calls[0].arguments.substr(0, 9), std::string(R"({"city": )"));
}

static void the_result_of_a_call_goes_back() {
    Answers     answers("toolcall");
    Request     request = with_tools(1, ToolChoice::Auto);
    ChatMessage caller  = { "assistant", "" };
    caller.tool_calls   = { { "aB3dE6gH9", "get_weather", R"({"city":"Rome"})" } };
    ChatMessage result  = { "tool", "warm and sunny" };
    result.tool_call_id = "aB3dE6gH9";
    auto & messages     = request.prompt.chat.messages;
    messages.insert(messages.end(), { caller, result });
    CHECK(answers.run(request).last.finish_reason == FinishReason::Eog);
    CHECK(answers.answer(1).content.find("warm and sunny") != std::string::npos);
    CHECK(answers.answer(1).calls.empty());
}

static void a_named_tool_is_called_at_any_seed() {
    Answers answers("toolcall", 8);
    for (int64_t seq = 0; seq < 50; seq++) {
        Request request                         = with_tools(seq, ToolChoice::Required, "note");
        request.sampling.temperature            = 1.5f;
        request.sampling.seed                   = (uint32_t) seq;
        request.prompt.chat.parallel_tool_calls = false;
        answers.engine().submit(request);
    }
    int n_complete = 0;
    for (int64_t seq = 0; seq < 50; seq++) {
        const auto   stream = answers.wait(seq);
        const Answer answer = answers.answer(seq);
        CHECK(stream.last.type == EventType::Done);
        CHECK_EQUAL(answer.content, std::string());
        CHECK(answer.calls.size() <= 1);
        if (stream.last.finish_reason == FinishReason::Length) {
            continue;
        }
        CHECK(stream.last.finish_reason == FinishReason::ToolCalls);
        CHECK_EQUAL(answer.calls.at(0).name, std::string("note"));
        const common_json arguments = common_json::parse(answer.calls[0].arguments);
        CHECK(arguments.at("text").is_string());
        CHECK(arguments.at("stars").get<int>() >= 1 && arguments.at("stars").get<int>() <= 5);
        n_complete++;
    }
    CHECK(n_complete > 40);
}

static const char * const SCHEMA =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":6},)"
    R"("size":{"enum":["small","large"]},"n":{"type":"integer","minimum":0,"maximum":99}},)"
    R"("required":["name","size","n"],"additionalProperties":false})";

static void check_schema(const std::string & text) {
    const common_json json = common_json::parse(text);
    CHECK(json.at("name").is_string());
    CHECK(json.at("size") == "small" || json.at("size") == "large");
    CHECK(json.at("n").get<int>() >= 0 && json.at("n").get<int>() <= 99);
    CHECK_EQUAL(json.size(), (size_t) 3);
}

static void an_answer_follows_its_schema(const std::string & model, bool is_chat) {
    Answers answers(model, 8);
    int     n_complete = 0;
    for (int64_t seq = 0; seq < 50; seq++) {
        Request request              = is_chat ? chat(seq, 200) : tokens(seq, 8, 200);
        request.sampling.temperature = 1.0f;
        request.sampling.seed        = (uint32_t) seq;
        request.constraint           = { ConstraintKind::JsonSchema, SCHEMA };
        answers.engine().submit(request);
    }
    for (int64_t seq = 0; seq < 50; seq++) {
        const auto        stream = answers.wait(seq);
        const std::string text   = is_chat ? answers.answer(seq).content : stream.text;
        CHECK(stream.last.type == EventType::Done);
        if (stream.last.finish_reason == FinishReason::Eog) {
            check_schema(text);
            n_complete++;
        }
    }
    std::printf("   %s: %d of 50 complete\n", model.c_str(), n_complete);
    CHECK(n_complete > 25);
}

// As generators write the range of whole numbers that JavaScript has.
static void the_largest_bounds_can_be_kept() {
    Answers answers("random");
    int64_t seq = 0;
    for (const char * schema :
         { R"({"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991})",
           R"({"type":"integer","exclusiveMinimum":0,"maximum":9007199254740991})",
           R"({"type":"integer","minimum":-1000000000000000})", R"({"type":"integer","maximum":999999999999999})",
           R"({"type":"integer","minimum":999999999999999})" }) {
        Request request    = chat(++seq, 40);
        request.constraint = { ConstraintKind::JsonSchema, schema };
        CHECK(answers.run(request).last.type == EventType::Done);
    }
}

static void answers_follow_their_schema() {
    an_answer_follows_its_schema("random", true);
    an_answer_follows_its_schema("random", false);
    an_answer_follows_its_schema("broken-utf8", true);
    an_answer_follows_its_schema("thinking", true);
}

static void a_grammar_goes_with_choices_bias_and_log_probabilities() {
    Answers answers("random");
    Request request              = tokens(1, 8, 20);
    request.constraint           = { ConstraintKind::Gbnf, "# either\nroot ::= \"yes\" | \"no\"\n" };
    request.sampling.temperature = 1.0f;
    request.sampling.seed        = 1;
    request.sampling.n_logprobs  = 2;
    request.sampling.logit_bias  = { { 40, 5.0f } };
    request.forks                = { 2, 3 };
    answers.engine().submit(request);
    for (int64_t seq = 1; seq <= 3; seq++) {
        const auto stream = answers.wait(seq);
        CHECK(stream.last.finish_reason == FinishReason::Eog);
        CHECK(stream.text == "yes" || stream.text == "no");
        for (const Event & token : stream.tokens) {
            CHECK_EQUAL(token.logprobs.size(), (size_t) 3);
            CHECK_EQUAL(token.logprobs[0].token_id, token.token_id);
        }
    }
}

static void a_wrong_grammar_is_refused_with_its_reason() {
    Answers    answers("random");
    int64_t    seq   = 0;
    const auto check = [&](ConstraintKind kind, const std::string & text, const std::string & word) {
        Request request    = chat(++seq, 5);
        request.constraint = { kind, text };
        const auto stream  = answers.run(request);
        CHECK(stream.last.type == EventType::Error);
        CHECK(stream.last.code == ErrorCode::InvalidGrammar);
        if (stream.last.text.find(word) == std::string::npos) {
            CHECK_EQUAL(stream.last.text, word);
        }
    };
    check(ConstraintKind::Gbnf, "root ::= (", "expecting");
    check(ConstraintKind::Gbnf, "root ::= other", "other");
    check(ConstraintKind::Gbnf, "other ::= \"a\"", "root");
    check(ConstraintKind::Gbnf, "root ::= root \"a\" | \"b\"", "left recursion");
    check(ConstraintKind::Gbnf, "root ::= \"a\"{1000000}", "repetitions");
    check(ConstraintKind::Gbnf, "root ::= " + std::string(100000, '('), "nested");
    check(ConstraintKind::JsonSchema, "[]", "object");
    check(ConstraintKind::JsonSchema, "{", "object");
    check(ConstraintKind::JsonSchema, R"({"$ref":"#/nowhere"})", "nowhere");
    check(ConstraintKind::JsonSchema, R"({"type":"martian"})", "martian");
    check(ConstraintKind::JsonSchema, R"({"properties":{"a":{"type":"string","pattern":"a+"}}})", "a+");
    check(ConstraintKind::JsonSchema, R"({"type":"string","pattern":"^(a$"})", "(a");
    check(ConstraintKind::JsonSchema, std::string(5000, '['), "nested");
    check(ConstraintKind::JsonSchema, R"({"description":")" + std::string(300000, 'x') + "\"}", "larger");

    // bounds in the wrong order would make llama.cpp write rules without end, and a pattern that can be empty in many
    // ways would cost each token more time than there is
    check(ConstraintKind::JsonSchema, R"({"type":"string","minLength":5,"maxLength":2})", "minLength");
    check(ConstraintKind::JsonSchema, R"({"type":"array","items":{},"minItems":4,"maxItems":2})", "minItems");
    check(ConstraintKind::JsonSchema, R"({"type":"integer","minimum":10,"maximum":1})", "minimum");
    check(ConstraintKind::JsonSchema, R"({"properties":{"a":{"type":"string","pattern":"^a{2,1}$"}}})", "{2,1}");
    check(ConstraintKind::JsonSchema, R"({"type":"string","pattern":"^((((a?){30}){30}){2}){1}$"})", "empty");

    // integers of more digits than llama.cpp counts on would have rules without end, and alternatives of alternatives
    // more ways to begin than there is time for
    check(ConstraintKind::JsonSchema, R"({"type":"integer","minimum":10000000000000000})", "too large");
    check(ConstraintKind::JsonSchema, R"({"type":"integer","maximum":-9007199254740991})", "too large");
    check(ConstraintKind::JsonSchema,
          R"({"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807})", "too large");
    check(ConstraintKind::JsonSchema, R"({"type":"string","minLength":4294967296})", "too large");
    check(ConstraintKind::JsonSchema, R"({"type":["number"],"minimum":1000000})", "integer only");
    std::string doubled = R"({"$ref":"#/$defs/d0","$defs":{)";
    for (int i = 0; i < 30; i++) {
        const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
        doubled += "\"d" + std::to_string(i) + R"(":{"anyOf":[)" + next + "," + next + "]},";
    }
    check(ConstraintKind::JsonSchema, doubled + R"("d30":{"type":"integer"}}})", "choices at once");

    std::string values;
    for (int i = 0; i < 5000; i++) {
        values += "\"v" + std::to_string(i) + "\",";
    }
    check(ConstraintKind::JsonSchema, R"({"enum":[)" + values + "0]}", "enums");

    // what no grammar holds the answer to
    check(ConstraintKind::JsonSchema, R"({"type":"number","minimum":0.5})", "minimum");
    check(ConstraintKind::JsonSchema, R"({"type":"integer","multipleOf":7})", "multipleOf");
    check(ConstraintKind::JsonSchema, R"({"$dynamicRef":"#node"})", "$dynamicRef");
    check(ConstraintKind::JsonSchema, R"({"$recursiveRef":"#"})", "$recursiveRef");
    check(ConstraintKind::JsonSchema, R"({"type":"array","contains":{"const":5}})", "contains");
    check(ConstraintKind::JsonSchema, R"({"type":"object","properties":{"a":{}},"required":["z"]})", "z");
    check(ConstraintKind::JsonSchema, R"({"type":"object","properties":{"a":{}},"required":"a"})", "required");

    // a property may have the name of a keyword
    Request named    = chat(++seq, 60);
    named.constraint = { ConstraintKind::JsonSchema,
                         R"({"type":"object","properties":{"not":{"type":"boolean"}},"required":["not"]})" };
    CHECK(answers.run(named).last.type == EventType::Done);

    Request unending                         = with_tools(++seq, ToolChoice::Required);
    unending.prompt.chat.tools[0].parameters = R"({"properties":{"a":{"type":"string","pattern":"^a{2,1}$"}}})";
    const auto refused                       = answers.run(unending);
    CHECK(refused.last.code == ErrorCode::InvalidTool);
    CHECK_EQUAL(refused.last.input, 0);

    // a tool's schema is held to as far as it can be, unless it is strict
    Answers caller("toolcall");
    Request loose                         = with_tools(1, ToolChoice::Auto);
    loose.prompt.chat.tools[0].parameters = R"({"properties":{"a":{"type":"integer","multipleOf":7}}})";
    CHECK(caller.run(loose).last.type == EventType::Done);
    loose.seq                            = 2;
    loose.prompt.chat.tools[0].is_strict = true;
    CHECK(caller.run(loose).last.code == ErrorCode::InvalidTool);

    // a template without tools would leave them out of the prompt without a word
    CHECK(answers.run(with_tools(++seq, ToolChoice::Auto)).last.code == ErrorCode::InvalidTool);
    CHECK(answers.run(with_tools(++seq, ToolChoice::None)).last.type == EventType::Done);

    Request tool                         = with_tools(++seq, ToolChoice::Auto);
    tool.prompt.chat.tools[0].parameters = R"({"type":"martian"})";
    const auto stream                    = answers.run(tool);
    CHECK(stream.last.code == ErrorCode::InvalidTool);
    CHECK(stream.last.text.find("get_weather") != std::string::npos);

    // a tool of this name would make llama.cpp's parser call itself for ever
    Request call                   = with_tools(++seq, ToolChoice::Auto);
    call.prompt.chat.tools[0].name = "call";
    CHECK(answers.run(call).last.code == ErrorCode::InvalidTool);

    CHECK(answers.run(chat(++seq, 5)).last.type == EventType::Done);
}

int main() {
    RUN(a_model_calls_a_tool);
    RUN(the_result_of_a_call_goes_back);
    RUN(a_named_tool_is_called_at_any_seed);
    RUN(answers_follow_their_schema);
    RUN(the_largest_bounds_can_be_kept);
    RUN(a_grammar_goes_with_choices_bias_and_log_probabilities);
    RUN(a_wrong_grammar_is_refused_with_its_reason);
}
