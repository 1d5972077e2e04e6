// The process at the other end. A rank without the injector cannot read stamps, and would treat
// them as a part of the message. So each UCP worker under the injector gets a unique number that
// differs from a random number. UCP's address of a worker begins with this number, and addresses
// arrive before the first message is sent.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../preload/export.h"
#include "../../preload/original.h"
#include "../random.h"
#include "../report.h"
#include "../settings.h"
#include "flow.h"

/// The check of such a number is its high CHECKED bits: one in 65,536 ranks without the injector is
/// missed here, and detected when it sends.
enum { CHECKED = 16, FREE = 64 - CHECKED, WRONG_USE = 2, HAS_ADDRESS = 1 };

struct ep_params {  // the beginning
  uint64_t field_mask;
  const void* address;
};

typedef uint64_t generate_function(uint64_t seed);
typedef uint64_t read_function(const void* address);
typedef int8_t create_function(void* worker, const struct ep_params* params, void** endpoint);

static uint64_t checked(uint64_t number) {
  const uint64_t low = number << CHECKED >> CHECKED;
  return low | lat_mix(low) << FREE;
}

/// Whether this rank is the first to refuse among those of its host.
static bool first_to_say(void) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/refused-%ld.inj", lat_directory(), (long)getppid());
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return access(path, F_OK) != 0;
  close(file);
  return true;
}

void lat_refuse_peer(void) {
  static const char why[] =
      "some ranks run without the injector and cannot read what it sends: start all of them under "
      "`latitude inject`, dynamically linked";
  memcpy(lat_report->off, why, sizeof why);
  lat_report->on = LAT_REFUSED;
  if (first_to_say()) fprintf(stderr, "latitude: error: %s\n", why);
  _exit(WRONG_USE);
}

static uint64_t number_in(const void* address) {
  read_function* read = NULL;
  *(void**)&read = lat_original("ucp_address_get_uuid", "libucp");
  if (read) return read(address);
  uint64_t number;  // UCX 1.11 lacks this function: the address begins with the number
  memcpy(&number, address, sizeof number);
  return number;
}

LAT_EXPORT uint64_t ucs_generate_uuid(uint64_t seed) {
  static generate_function* original;
  lat_find((void**)&original, __func__, "libucs");
  const uint64_t number = original(seed);
  return lat_layer_asked() == LAT_FLOW ? checked(number) : number;
}

LAT_EXPORT int8_t ucp_ep_create(void* worker, const struct ep_params* params, void** endpoint) {
  static create_function* original;
  lat_find((void**)&original, __func__, "libucp");
  if (lat_layer_asked() == LAT_FLOW && (params->field_mask & HAS_ADDRESS)) {
    const uint64_t number = number_in(params->address);
    if (number != checked(number)) lat_refuse_peer();
  }
  return original(worker, params, endpoint);
}
