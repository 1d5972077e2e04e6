extern "C" void call(int id);

namespace {
template <class T>
struct Halo {
  [[gnu::noinline]] void exchange(T) const {
    call(1);  // 1
    asm volatile("");
  }
};
}  // namespace

namespace mesh {
class Domain {
 public:
  void step();
};

[[gnu::noinline]] void Domain::step() {
  const auto reduce = [](int id) __attribute__((noinline)) {
    call(id);  // 2
    asm volatile("");
  };
  reduce(2);
  asm volatile("");
}

[[gnu::noinline]] int operator<<(const Domain&, int id) {
  call(id);  // 3
  asm volatile("");
  return 0;
}
}  // namespace mesh

int main() {
  Halo<double>().exchange(1.0);
  mesh::Domain domain;
  domain.step();
  return domain << 3;
}
