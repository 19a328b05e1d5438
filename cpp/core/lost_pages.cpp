#include "core/lost_pages.hpp"

#ifdef _WIN32  // there a file that is mapped cannot shrink

namespace tare {

void watch_lost_pages() {}
void leave_lost_pages() {}
std::uint64_t lost_pages() { return 0; }

}  // namespace tare

#else

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

namespace tare {

namespace {

std::mutex door;
int watchers = 0;
struct sigaction before {};
std::uintptr_t page_size = 0;
std::atomic<std::uint64_t> lost{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a handler may not wait");

// Puts a page of zeros where the file has none left. It can be read only, so whoever writes there fails.
void found_gone(int number, siginfo_t* what, void*) {
    const int kept = errno;
    if (what->si_code == BUS_ADRERR) {
        const auto page = reinterpret_cast<std::uintptr_t>(what->si_addr) & ~(page_size - 1);
        void* zeros = mmap(reinterpret_cast<void*>(page), page_size, PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (zeros != MAP_FAILED) {
            lost.fetch_add(1);
            errno = kept;
            return;
        }
    }
    sigaction(number, &before, nullptr);  // not ours: it comes again, and others see to it
    errno = kept;
}

}  // namespace

void watch_lost_pages() {
    const std::lock_guard<std::mutex> lock(door);
    if (watchers++ > 0) return;
    page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction ours {};
    ours.sa_sigaction = found_gone;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, &before);
}

void leave_lost_pages() {
    const std::lock_guard<std::mutex> lock(door);
    if (watchers == 0 || --watchers > 0) return;
    struct sigaction now {};
    sigaction(SIGBUS, nullptr, &now);
    const bool still_ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == found_gone;
    if (still_ours) sigaction(SIGBUS, &before, nullptr);
}

std::uint64_t lost_pages() { return lost.load(); }

}  // namespace tare

#endif
