// Answers that a grammar forces, written by chance: whatever a model prefers, a required call is a call and an answer
// for a schema is JSON, in the format of every chat template that comes with the llama.cpp sources.
#include "answer_writer.h"
#include "chat_template.h"
#include "engine_fixture.h"
#include "json.h"
#include "template_files.h"

#include <set>

static std::unique_ptr<Model> load_model() {
    return Model::load(options("random", 1), [](float) { return true; });
}

static const Tool WEATHER = { "get_weather", "Tells the weather.",
                              R"({"type":"object","properties":{"city":{"type":"string","maxLength":8},)"
                              R"("days":{"type":"integer","minimum":1,"maximum":9}},"required":["city"],)"
                              R"("additionalProperties":false})" };
static const Tool CLOCK   = { "clock", "Tells the time.", "{}" };

static ChatInput with_tools(ToolChoice choice, const std::string & required = "") {
    ChatInput input;
    input.messages      = { { "user", "Hello" } };
    input.tools         = { WEATHER, CLOCK };
    input.tool_choice   = choice;
    input.required_tool = required;
    return input;
}

static void required_calls_are_calls_in_every_format() {
    const auto model    = load_model();
    int        n_forced = 0, n_refused = 0, n_calls = 0;
    for (const auto & path : sampled_template_files()) {
        const ChatTemplate chat_template(model->get(), read_file(path));
        for (int seed = 0; seed < 4; seed++) {
            const bool is_named       = seed % 2 == 1;
            ChatInput  input          = with_tools(ToolChoice::Required, is_named ? "clock" : "");
            input.parallel_tool_calls = seed >= 2;
            input.enable_thinking     = false;
            try {
                RenderedChat      rendered = chat_template.render(input);
                const Written     written  = write_answer(*model, rendered, (uint32_t) seed, 600);
                const Answer      answer   = parse_answer(rendered, written.text);
                const std::string where    = path.filename().string() + ": " + written.text;
                if (!written.is_complete) {
                    continue;  // a long text by chance
                }
                n_forced++;
                n_calls += (int) answer.calls.size();
                if (answer.calls.empty() || !answer.content.empty()) {
                    std::printf("   %s\n   content: %s\n", where.c_str(), answer.content.c_str());
                }
                CHECK(!answer.calls.empty());
                CHECK_EQUAL(answer.content, std::string());
                CHECK(input.parallel_tool_calls || answer.calls.size() == 1);
                for (const ToolCall & call : answer.calls) {
                    CHECK(!is_named || call.name == "clock");
                    CHECK(common_json::parse(call.arguments).is_object());
                }
            } catch (const RequestError & refusal) {
                n_refused++;
                std::printf("   %s refuses: %.160s\n", path.filename().c_str(), refusal.what());
                CHECK(refusal.code == ErrorCode::TemplateFailed || refusal.code == ErrorCode::InvalidToolChoice);
            }
        }
    }
    std::printf("   %d answers with %d calls, %d refusals\n", n_forced, n_calls, n_refused);
    CHECK(n_forced > (int) sampled_template_files().size());
}

int main() {
    RUN(required_calls_are_calls_in_every_format);
}
