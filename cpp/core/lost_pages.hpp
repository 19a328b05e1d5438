// Pages of mapped files that are gone because the file shrank: read as zeros and counted, where
// the system would end the process. For readers of others, which map files; ours never do.
#pragma once

#include <cstdint>

namespace tare {

// Begins to watch; calls may nest and come from several threads.
void watch_lost_pages();

// Ends what the call above began; the last puts back what was in force before.
void leave_lost_pages();

// How many pages were found gone since the process began.
std::uint64_t lost_pages();

}  // namespace tare
