// The limit of reading a run: every line is split into six fields and its score is converted;
// nothing else.
//
//     c++ -O3 -std=c++20 -pthread parse.cpp -o parse && ./parse RUN THREADS REPEATS
//
// The file is mapped into memory and divided at line ends into one share per thread. Prints the
// median seconds, from opening the file to the last line, the number of lines and the sum of the
// scores.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Share {
    long lines = 0;
    long bytes = 0;  // of the fields, so that none is left out by the compiler
    double scores = 0;
    bool good = true;
};

static bool separates(char c) { return c == ' ' || c == '\t'; }

static void parse(const char* at, const char* end, Share& found) {
    Share share;
    while (at < end) {
        const char* first[6];
        const char* last[6];
        int fields = 0;
        while (at < end && *at != '\n') {
            while (at < end && separates(*at)) ++at;
            if (at == end || *at == '\n') break;
            const char* start = at;
            while (at < end && !separates(*at) && *at != '\n') ++at;
            if (fields < 6) {
                first[fields] = start;
                last[fields] = at;
            }
            ++fields;
        }
        ++at;
        double score = 0;
        if (fields != 6 || std::from_chars(first[4], last[4], score).ec != std::errc{}) {
            share.good = false;
            break;
        }
        for (int k = 0; k < 6; ++k) share.bytes += last[k] - first[k];
        share.scores += score;
        ++share.lines;
    }
    found = share;
}

static Share parse_file(const char* path, int threads) {
    const int file = open(path, O_RDONLY);
    struct stat about;
    if (file < 0 || fstat(file, &about) != 0) {
        std::perror(path);
        std::exit(1);
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped == MAP_FAILED) {
        std::perror(path);
        std::exit(1);
    }
    madvise(mapped, size, MADV_SEQUENTIAL);
    const char* text = static_cast<const char*>(mapped);
    std::vector<const char*> cuts{text};
    for (int k = 1; k < threads; ++k) {
        const char* near = std::max(cuts.back(), text + size / threads * k);
        const void* line = std::memchr(near, '\n', text + size - near);
        cuts.push_back(line ? static_cast<const char*>(line) + 1 : text + size);
    }
    cuts.push_back(text + size);
    std::vector<Share> shares(threads);
    std::vector<std::thread> work;
    for (int k = 0; k < threads; ++k)
        work.emplace_back(parse, cuts[k], cuts[k + 1], std::ref(shares[k]));
    for (auto& thread : work) thread.join();
    munmap(mapped, size);
    close(file);
    Share all;
    for (const auto& share : shares) {
        all.lines += share.lines;
        all.bytes += share.bytes;
        all.scores += share.scores;
        all.good = all.good && share.good;
    }
    return all;
}

int main(int count, char** words) {
    if (count != 4) return 2;
    const int threads = std::max(1, std::atoi(words[2])),
              repeats = std::max(1, std::atoi(words[3]));
    std::vector<double> seconds;
    Share found;
    for (int k = 0; k < repeats; ++k) {
        const auto start = std::chrono::steady_clock::now();
        found = parse_file(words[1], threads);
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    if (!found.good) return 3;
    std::printf("%.6f %ld %.6f %ld\n", seconds[seconds.size() / 2], found.lines, found.scores,
                found.bytes);
}
