// The tests of seams alone, with the readers alone: a build that sanitizers can afford with every
// `make test`.
#include "check.hpp"

int main() {
    using namespace tare::tests;
    seams_of_judging();
    seams_of_readers();
    std::printf("%d passed, %d failed\n", counts().passed, counts().failed);
    return counts().failed == 0 ? 0 : 1;
}
