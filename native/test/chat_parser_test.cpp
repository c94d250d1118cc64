// The streaming parser against one parse of the whole text by llama.cpp, over its templates and texts by chance: right
// ones, cut ones, wrong ones; and how much work it does.
#include "chat_parser.h"

#include "answer_writer.h"
#include "chat.h"  // llama.cpp common
#include "engine_fixture.h"
#include "template_files.h"

static const Tool WEATHER = { "get_weather", "Tells the weather.",
                              R"({"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},)"
                              R"("tags":{"type":"array","items":{"type":"string"}}},"required":["city"]})" };
static const Tool CLOCK   = { "clock", "Tells the time.", "{}" };

struct Format {
    std::string               name;
    common_chat_parser_params params;
    RenderedChat              forced;  // with a required call, to write right texts with
};

static std::vector<Format> formats(const Model & model, bool has_tools) {
    std::vector<Format> out;
    for (const auto & path : sampled_template_files()) {
        const std::string            source    = read_file(path);
        const auto                   templates = common_chat_templates_init(model.get(), source);
        common_chat_templates_inputs inputs;
        common_chat_msg              user;
        user.role               = "user";
        user.content            = "Hello";
        inputs.messages         = { user };
        inputs.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
        ChatInput input;
        input.messages = { { "user", "Hello" } };
        if (has_tools) {
            for (const Tool & tool : { WEATHER, CLOCK }) {
                inputs.tools.push_back({ tool.name, tool.description, tool.parameters });
                input.tools.push_back(tool);
            }
            inputs.parallel_tool_calls = true;
        }
        try {
            const common_chat_params params = common_chat_templates_apply(templates.get(), inputs);
            Format                   format;
            format.name                    = path.filename().string();
            format.params                  = common_chat_parser_params(params);
            format.params.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
            format.params.parser.load(params.parser);
            input.tool_choice = has_tools ? ToolChoice::Required : ToolChoice::Auto;
            try {
                format.forced = ChatTemplate(model.get(), source).render(input);
            } catch (const RequestError &) {
                // no tools in this one
            }
            out.push_back(std::move(format));
        } catch (const std::exception &) {
            // told by the test of the templates
        }
    }
    return out;
}

using Random = std::mt19937;

static size_t below(Random & random, size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
}

// Words, marks of many formats, JSON, bytes that are no text.
static std::string noise(Random & random, const ChatOutput & output) {
    static const std::vector<std::string> PIECES = {
        "Hello",
        " world",
        "\n",
        "\n\n",
        "  ",
        "<",
        ">",
        "a < b",
        "</",
        "漢",
        "é",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\\",
        ":",
        "{\"a\": 1}",
        "{\"city\": \"Rome\"}",
        "clock",
        "get_weather",
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "{\"name\": \"clock\", \"arguments\": {}}",
        "[TOOL_CALLS]",
        "<|channel|>final<|message|>",
        "all\n",
        "\xff",
        "\xe6\xbc",
        "1.5e3",
        "true",
        " to=user<|message|>",
        "<|start|>assistant",
        "<|end|>",
        ",",
        "<function=clock>",
    };
    std::string out;
    for (size_t n = below(random, 12); n > 0; n--) {
        const auto & marks = output.delimiters();
        if (!marks.empty() && below(random, 4) == 0) {
            const std::string & mark = marks[below(random, marks.size())];
            out += mark.substr(0, 1 + below(random, mark.size()));
        } else {
            out += PIECES[below(random, PIECES.size())];
        }
    }
    return out;
}

static std::string as_text(const std::string & bytes) {
    Utf8Assembler     utf8;
    const std::string text = utf8.push(bytes);
    return text + utf8.flush();
}

static Answer stream(ChatParser & parser, const std::string & text, Random & random) {
    Answer answer;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.size(), at + 1 + below(random, 9));
        while (end < text.size() && ((unsigned char) text[end] & 0xC0) == 0x80) {
            end++;
        }
        add(answer, parser.push(std::string_view(text).substr(at, end - at), false));
        at = end;
    }
    add(answer, parser.push("", true));
    return answer;
}

static bool is_end_of(const std::string & end, const std::string & text) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

#define CHECK_TEXT(condition) \
    do { \
        if (!(condition)) { \
            std::cerr << format.name << "\nwhole: " << whole.content \
                      << "\nwhole reasoning: " << whole.reasoning_content << "\ntext: " << text \
                      << "\ncontent: " << answer.content << "\nreasoning: " << answer.reasoning \
                      << "\ncalls: " << answer.calls.size() << "\n"; \
            for (const ToolCall & call : answer.calls) { \
                std::cerr << "  " << call.name << " " << call.arguments << "\n"; \
            } \
            CHECK(condition); \
        } \
    } while (0)

static void compare(const Format & format, const std::string & text, bool is_spoiled, Random & random) {
    ChatParser      parser(format.params);
    const Answer    answer = stream(parser, text, random);
    common_chat_msg whole;
    CHECK_TEXT(parser.n_bytes_parsed() <= 8 * text.size() + 4096);
    try {
        whole = common_chat_parse(text, false, format.params);
    } catch (const std::exception &) {
        // no place for what the text says is certain, but nothing of it is lost where nothing else has been told
        if (answer.reasoning.empty() && answer.calls.empty()) {
            CHECK_TEXT(is_end_of(answer.content, text));
            CHECK_TEXT(text.empty() || !answer.content.empty());
        }
        return;
    }
    // what the prompt brings along is no news
    const common_chat_msg begun = common_chat_parse("", true, format.params);
    const auto            drop  = [](std::string & from, const std::string & start) {
        from.erase(0, from.compare(0, start.size(), start) == 0 ? start.size() : 0);
    };
    drop(whole.content, begun.content);
    drop(whole.reasoning_content, begun.reasoning_content);
    // what was held back for a mark that never came is told at the end
    const auto is_same = [&](const std::string & told, const std::string & expected) {
        return told.compare(0, expected.size(), expected) == 0 && is_end_of(told.substr(expected.size()), text);
    };
    CHECK_TEXT(is_same(answer.reasoning, whole.reasoning_content));
    // a call that turns out to be none in the end cannot be taken back
    CHECK_TEXT(answer.calls.size() >= whole.tool_calls.size());
    if (answer.calls.size() > whole.tool_calls.size()) {
        CHECK_TEXT(is_spoiled);
        return;
    }
    CHECK_TEXT(is_same(answer.content, whole.content));
    for (size_t i = 0; i < whole.tool_calls.size(); i++) {
        CHECK_TEXT(answer.calls[i].name == whole.tool_calls[i].name);
        CHECK_TEXT(answer.calls[i].arguments == whole.tool_calls[i].arguments);
    }
}

// A right answer with calls, cut and spoiled by chance.
static std::string calls_text(const Model & model, const Format & format, Random & random) {
    if (format.forced.grammar.gbnf.empty()) {
        return "";
    }
    std::string text = write_answer(model, format.forced, (uint32_t) random(), 150).text;
    if (below(random, 3) == 0) {
        text.resize(below(random, text.size() + 1));
    }
    return text;
}

// A call with a long text in its arguments, made out of a right one.
static std::string calls_text_of(const std::string & name, const Format & format, const Model & model) {
    for (uint32_t seed = 0; seed < 20 && !format.forced.grammar.gbnf.empty(); seed++) {
        const Written written = write_answer(model, format.forced, seed, 300);
        const size_t  city    = written.text.find("city");
        const size_t  value   = city == std::string::npos ? city : written.text.find_first_of("\"'>", city + 6);
        if (written.is_complete && written.text.find(name) != std::string::npos && value != std::string::npos) {
            std::string text;
            for (int i = 0; i < 4000; i++) {
                text += i % 5 == 0 ? "a < " : "word";
            }
            return written.text.substr(0, value + 1) + text + written.text.substr(value + 1);
        }
    }
    return "";
}

static void streams_like_one_parse(bool has_tools) {
    const auto model  = Model::load(options("random", 1), [](float) { return true; });
    int        n_text = 0;
    Random     random(7);
    for (const Format & format : formats(*model, has_tools)) {
        const ChatOutput output(format.params);
        for (int i = 0; i < 8; i++) {
            const std::string before = below(random, 2) == 0 ? noise(random, output) : "";
            const std::string after  = below(random, 3) == 0 ? noise(random, output) : "";
            const std::string calls  = below(random, 2) == 0 ? calls_text(*model, format, random) : "";
            compare(format, as_text(before + calls + after), !after.empty(), random);
            n_text++;
        }
    }
    std::printf("   %d texts\n", n_text);
}

static void streams_calls_like_one_parse() {
    streams_like_one_parse(true);
}

static void streams_texts_like_one_parse() {
    streams_like_one_parse(false);
}

// 4,000 tokens of four bytes in every format: a text full of what may begin a mark, or the arguments of a call.
static void work_is_linear() {
    const auto model = Model::load(options("random", 1), [](float) { return true; });
    for (const Format & format : formats(*model, true)) {
        std::string prose;
        for (int i = 0; i < 4000; i++) {
            prose += i % 7 == 0 ? "a< b" : i % 11 == 0 ? "[x] " : "word";
        }
        std::string call = calls_text_of("get_weather", format, *model);
        for (const std::string & text : { prose, call }) {
            Random       random(1);
            ChatParser   parser(format.params);
            const Answer answer = stream(parser, text, random);
            CHECK(text.empty() || !answer.content.empty() || !answer.reasoning.empty() || !answer.calls.empty());
            CHECK(parser.n_bytes_parsed() <= 8 * text.size() + 4096);
        }
    }
}

// llama.cpp's parser would need stack for each level.
static void deep_json_is_content() {
    const auto model = Model::load(options("random", 1), [](float) { return true; });
    for (const Format & format : formats(*model, true)) {
        for (const std::string & start : { std::string(R"({"name": "get_weather", "arguments": {"city": )"),
                                           std::string("get_weather[ARGS]{\"city\":"), std::string() }) {
            const std::string text = "<tool_call>" + start + std::string(20000, '[');
            Random            random(1);
            ChatParser        parser(format.params);
            const Answer      answer = stream(parser, text, random);
            CHECK(answer.content.size() + answer.reasoning.size() + (answer.calls.empty() ? 0 : text.size()) >= 10000);
        }
    }
}

int main() {
    RUN(streams_texts_like_one_parse);
    RUN(streams_calls_like_one_parse);
    RUN(work_is_linear);
    RUN(deep_json_is_content);
}
