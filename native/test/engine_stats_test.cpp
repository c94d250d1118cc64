// What the running engine tells of its memory.
#include "engine_fixture.h"

static LoadOptions with_layout(int32_t n_parallel, KvLayout layout) {
    LoadOptions load_options = options("scripted-long", n_parallel, 512);
    load_options.kv_layout   = layout;
    return load_options;
}

static void counts_cells_of_running_requests_and_of_what_they_leave(KvLayout layout) {
    Recorder   recorder;
    const auto engine = start(recorder, with_layout(2, layout));
    CHECK_EQUAL(engine->info().is_unified, layout == KvLayout::Unified);
    CHECK_EQUAL(engine->stats().n_cells_used, 0);

    engine->submit(tokens(1, 100, 8));
    recorder.wait(1);
    // the last token is drawn, not computed
    CHECK(engine->stats().n_cells_used >= 107 && engine->stats().n_cells_used <= 108);
    CHECK_EQUAL(engine->stats().n_cells_busy, 0);

    const int32_t n_left = engine->stats().n_cells_used;
    Request       other  = tokens(2, 50, 400);
    other.prompt.tokens.assign(50, 77);
    engine->submit(std::move(other));
    recorder.wait_tokens(2, 2);
    const EngineStats while_running = engine->stats();
    CHECK(while_running.n_cells_busy >= 51);
    CHECK_EQUAL(while_running.n_cells_used, n_left + while_running.n_cells_busy);
    engine->cancel(2);
    recorder.wait(2);
    CHECK_EQUAL(engine->stats().n_cells_busy, 0);
    CHECK(engine->stats().n_cells_used >= n_left + 51);
}

static void counts_cells_of_caches_apart() {
    counts_cells_of_running_requests_and_of_what_they_leave(KvLayout::Split);
}

static void counts_cells_of_one_cache() {
    counts_cells_of_running_requests_and_of_what_they_leave(KvLayout::Unified);
}

static void counts_shared_cells_once() {
    Recorder   recorder;
    const auto engine = start(recorder, with_layout(4, KvLayout::Unified));
    for (int64_t seq = 0; seq < 4; seq++) {
        engine->submit(tokens(seq, 400, 40));
    }
    recorder.wait_tokens(3, 2);
    const EngineStats while_running = engine->stats();
    CHECK(while_running.n_cells_busy <= while_running.n_cells_used);
    for (int64_t seq = 0; seq < 4; seq++) {
        recorder.wait(seq);
    }
    CHECK(engine->stats().n_cells_used <= 400 + 4 * 40);
    CHECK(engine->stats().n_cells_used >= 400 + 39);
}

static void counts_what_is_in_host_memory() {
    Recorder    recorder;
    LoadOptions load_options = with_layout(1, KvLayout::Split);
    load_options.store_bytes = 64 << 20;
    const auto engine        = start(recorder, load_options);
    engine->submit(tokens(1, 300, 8));
    recorder.wait(1);
    CHECK_EQUAL(engine->stats().n_stored, 0);
    CHECK_EQUAL(engine->stats().n_stored_bytes, 0u);
    Request other = tokens(2, 300, 8);
    other.prompt.tokens.assign(300, 77);
    engine->submit(std::move(other));
    recorder.wait(2);
    CHECK_EQUAL(engine->stats().n_stored, 1);
    CHECK(engine->stats().n_stored_bytes > 0);
    CHECK_EQUAL(engine->stats().n_prefill_tokens, 600u);
}

int main() {
    RUN(counts_cells_of_caches_apart);
    RUN(counts_cells_of_one_cache);
    RUN(counts_shared_cells_once);
    RUN(counts_what_is_in_host_memory);
}
