// A model over a worker of this very process: what it is told, what an estimate counts, and what the model writes.
#include "rpc.h"

#include "engine_fixture.h"
#include "loaded_model.h"
#include "memory_estimate.h"

#include <chrono>
#include <thread>

#ifndef _WIN32
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

// The thread sanitizer does not: ggml's threads hand their work over in code that is not instrumented.
#ifdef __SANITIZE_THREAD__
static constexpr bool CAN_JUDGE_GGML = false;
#else
static constexpr bool CAN_JUDGE_GGML = true;
#endif

static constexpr uint64_t OFFERED = 300'000'000;

// A port of the loopback that nobody has.
static uint16_t free_port() {
    const int   fd      = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family  = AF_INET;
    address.sin_addr    = { htonl(INADDR_LOOPBACK) };
    socklen_t size      = sizeof(address);
    CHECK(bind(fd, reinterpret_cast<sockaddr *>(&address), size) == 0);
    CHECK(getsockname(fd, reinterpret_cast<sockaddr *>(&address), &size) == 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void wait_until_it_listens(uint16_t port) {
    sockaddr_in address = {};
    address.sin_family  = AF_INET;
    address.sin_addr    = { htonl(INADDR_LOOPBACK) };
    address.sin_port    = htons(port);
    for (;;) {
        const int  fd      = socket(AF_INET, SOCK_STREAM, 0);
        const bool reached = connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0;
        close(fd);
        if (reached) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

static std::string endpoint;

static std::string written(const LoadOptions & load_options) {
    Recorder recorder;
    auto     engine = start(recorder, load_options);
    engine->submit(chat(1, 24, "Tell me something."));
    return recorder.wait(1).text;
}

static std::string text_of_this_machine;

static void offers_the_processor() {
    const std::vector<OfferedDevice> devices = offered_devices();
    CHECK_EQUAL(devices.size(), 1u);
    CHECK_EQUAL(devices[0].name, "CPU");
    CHECK(!devices[0].is_gpu && devices[0].total_bytes > OFFERED);
}

static void says_what_it_cannot_serve() {
    const std::string unknown = serve_rpc({ "127.0.0.1:1", "", 1, { "CUDA7" }, { OFFERED } });
    CHECK_EQUAL(unknown, "There is no device CUDA7.");
    const std::string nowhere = serve_rpc({ "198.51.100.1:9", "", 1, { "CPU" }, { OFFERED } });
    CHECK_EQUAL(nowhere, "The RPC server cannot listen at 198.51.100.1:9.");
}

static void joins_a_worker() {
    const uint16_t port = free_port();
    endpoint            = "127.0.0.1:" + std::to_string(port);
    std::thread([] { serve_rpc({ endpoint, "", 1, { "CPU" }, { OFFERED } }); }).detach();
    wait_until_it_listens(port);
    CHECK_EQUAL(add_rpc_worker(endpoint, 4), 1);
    CHECK(has_gpu());
}

static void an_estimate_counts_the_worker_and_its_memory() {
    LoadOptions load_options      = options("slow", 2, 256);
    load_options.memory_bytes     = 8'000'000;  // its weights take 12 MB
    const MemoryEstimate estimate = estimate_memory(load_options);
    CHECK(estimate.fit.fits);
    CHECK_EQUAL(estimate.fit.use.size(), 2u);
    const DeviceMemory & remote = estimate.fit.use[1];
    CHECK_EQUAL(remote.name, "RPC " + endpoint);
    CHECK(remote.is_remote && !remote.is_shared);
    CHECK_EQUAL(remote.budget, OFFERED);
    CHECK(remote.weights > 8'000'000 && remote.kv > 0);

    const LoadedModel loaded = load_model(
        load_options, [](float) { return true; }, [](std::vector<Event> &&) {});
    const ModelInfo & info = loaded.info();
    CHECK_EQUAL(info.devices.back(), "RPC " + endpoint);
    CHECK_EQUAL(info.memory.size(), 2u);
    CHECK_EQUAL(info.memory[1].weights, remote.weights);
    CHECK_EQUAL(info.memory[1].kv, remote.kv);
    loaded.close();
}

static void what_fits_nowhere_is_told_with_the_room_of_each_machine() {
    LoadOptions load_options      = options("slow", 1, 8192);
    load_options.memory_bytes     = 1'000'000;
    const MemoryEstimate estimate = estimate_memory(load_options);
    CHECK(!estimate.fit.fits);
    CHECK(estimate.reason.find("over all machines; 1 MB are free here, 300 MB on RPC " + endpoint) !=
          std::string::npos);
}

static void writes_what_it_writes_here() {
    CHECK_EQUAL(written(options("scripted", 2, 256)), text_of_this_machine);
}

int main() {
    text_of_this_machine = written(options("scripted", 2, 256));
    CHECK(!text_of_this_machine.empty());
    RUN(offers_the_processor);
    RUN(says_what_it_cannot_serve);
    if (CAN_JUDGE_GGML) {
        RUN(joins_a_worker);
        RUN(an_estimate_counts_the_worker_and_its_memory);
        RUN(what_fits_nowhere_is_told_with_the_room_of_each_machine);
        RUN(writes_what_it_writes_here);
    }
    std::fflush(stdout);
    _exit(0);  // the worker's thread serves without end, and holds what it has
}
#else
int main() {}
#endif
