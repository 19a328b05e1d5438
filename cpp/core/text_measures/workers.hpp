// Items shared out among threads, each with a worker of its own that keeps what it learns of words.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/seams.hpp"
#include "core/threads.hpp"

namespace tare::text {

// Makes a worker for each thread and calls worker(i) for every i < count. What a worker does for an
// item must not depend on the items before it.
template <class MakeWorker>
void for_each_item(std::size_t count, unsigned threads, MakeWorker&& make_worker) {
    const std::size_t workers =
        std::min<std::size_t>(thread_count(threads), std::max<std::size_t>(count, 1));
    const std::size_t chunk =
        seams.grain != 0 ? seams.grain : std::clamp<std::size_t>(count / (workers * 16), 1, 64);
    std::atomic<std::size_t> next{0};
    for_each_index(workers, static_cast<unsigned>(workers), 1, [&](std::size_t) {
        auto worker = make_worker();
        for (std::size_t start = next.fetch_add(chunk); start < count;
             start = next.fetch_add(chunk))
            for (std::size_t i = start; i < std::min(count, start + chunk); ++i) worker(i);
    });
}

}  // namespace tare::text
