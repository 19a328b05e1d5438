// Pages of mapped files that are gone: zeros while somebody watches, in every thread.
#include "core/lost_pages.hpp"

#include "check.hpp"

#ifdef _WIN32

void tare::tests::lost_pages() {}

#else

#include <sys/mman.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace tare::tests {

namespace {

constexpr std::size_t SIZE = 1 << 18;

// A mapped file that was cut to nothing.
const volatile char* shrunk() {
    std::FILE* file = std::tmpfile();
    const int number = fileno(file);
    const bool grew = ftruncate(number, SIZE) == 0;
    void* data = mmap(nullptr, SIZE, PROT_READ, MAP_SHARED, number, 0);
    const bool cut = ftruncate(number, 0) == 0;
    std::fclose(file);
    CHECK(grew && cut && data != MAP_FAILED);
    return static_cast<const volatile char*>(data);
}

}  // namespace

void lost_pages() {
    const volatile char* one = shrunk();
    const volatile char* other = shrunk();
    const auto before = tare::lost_pages();
    watch_lost_pages();
    CHECK(one[0] == 0);
    CHECK(tare::lost_pages() == before + 1);
    watch_lost_pages();
    leave_lost_pages();
    CHECK(one[SIZE - 1] == 0);  // the first still watches
    CHECK(tare::lost_pages() == before + 2);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 8; ++t)
        threads.emplace_back([other, t] {  // each its own pages
            for (std::size_t i = t * SIZE / 8; i < (t + 1) * SIZE / 8; i += 997) static_cast<void>(other[i]);
        });
    for (auto& thread : threads) thread.join();
    CHECK(tare::lost_pages() > before + 2);
    leave_lost_pages();
    leave_lost_pages();  // once too often does no harm
    munmap(const_cast<char*>(one), SIZE);
    munmap(const_cast<char*>(other), SIZE);
}

}  // namespace tare::tests

#endif
