// Work split over threads; the result never depends on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

#include "core/seams.hpp"

namespace tare {

// How many threads to use where nobody says; 0 = as many as the machine has.
inline unsigned default_threads = 0;

inline unsigned thread_count(unsigned asked) {
    if (asked != 0) return asked;
    if (default_threads != 0) return default_threads;
    const unsigned found = std::thread::hardware_concurrency();
    return found == 0 ? 1 : found;
}

// Called between chunks of tasks; throws to stop the work, such as after Ctrl-C.
inline void (*stop_if_asked)() = nullptr;

inline void may_stop() {
    if (stop_if_asked != nullptr) stop_if_asked();
}

// Calls task(i) for each i < count. Tasks are handed out in chunks; each writes only what is its
// own.
template <class Task>
void for_each_index(std::size_t count, unsigned threads, std::size_t chunk, Task&& task) {
    threads = thread_count(threads);
    if (seams.grain != 0) chunk = seams.grain;
    const std::size_t chunks = (count + chunk - 1) / chunk;
    if (threads > chunks) threads = static_cast<unsigned>(chunks);
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) {
            if (i % chunk == 0) may_stop();
            task(i);
        }
        return;
    }
    const bool deal = seams.deal;
    std::latch begun(deal ? threads : 0);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::vector<std::exception_ptr> failures(threads);
    auto work = [&](unsigned self) {
        try {
            for (std::size_t turn = self;; turn += threads) {
                const std::size_t c = deal ? turn : next.fetch_add(1);
                if (c >= chunks || stopped.load(std::memory_order_relaxed)) return;
                may_stop();
                const std::size_t end = std::min(count, (c + 1) * chunk);
                for (std::size_t i = c * chunk; i < end; ++i) task(i);
            }
        } catch (...) {
            failures[self] = std::current_exception();
            stopped.store(true, std::memory_order_relaxed);
        }
    };
    auto work_with_all = [&](unsigned self) {
        if (deal) begun.arrive_and_wait();
        work(self);
    };
    std::vector<std::thread> pool;
    pool.reserve(threads - 1);
    try {
        while (pool.size() + 1 < threads)
            pool.emplace_back(work_with_all, static_cast<unsigned>(pool.size() + 1));
    } catch (...) {
        // The system gives no more threads, or no memory for them: those there are do the work.
    }
    const auto made = static_cast<unsigned>(pool.size() + 1);
    if (deal) begun.count_down(threads - made);
    work_with_all(0);
    if (deal)
        for (unsigned self = made; self < threads; ++self) work(self);
    for (auto& thread : pool) thread.join();
    for (auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace tare
