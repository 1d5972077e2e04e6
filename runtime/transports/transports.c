// The transports of an MPI process's messages, and their settings: a file of lines in the folder
// LATITUDE_TRANSPORTS, written at MPI_Finalize. Preloaded; it changes nothing.
//
//     library ucx 1.13.1
//     transport tcp              UCX has an endpoint of this transport, or libfabric a fabric
//     module pml ob1             of Open MPI
//     setting UCX_TLS=tcp,self
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../preload/export.h"
#include "../preload/fabric.h"
#include "../preload/original.h"
#include "../preload/uct.h"

typedef uct_status open_function(void* domain, void* worker, const struct uct_iface_params* params,
                                 const void* config, struct uct_iface** iface);
typedef uct_status create_function(const struct uct_ep_params* params, struct uct_ep** ep);
typedef int fabric_function(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric,
                            void* context);
typedef int fabric2_function(struct ofi_info* info, struct ofi_fabric** fabric, uint64_t flags,
                             void* context);
typedef int finalize_function(void);
typedef const char* version_function(void);

extern char** environ;

enum { MOST = 256, LONGEST = 64 };

/// UCX's interfaces, and libfabric's fabrics, in the order in which they were opened.
static struct {
  const void* opened;  // NULL: of libfabric
  char name[LONGEST];
  bool used;
} transports[MOST];
static int count;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static const char* directory(void) { return getenv("LATITUDE_TRANSPORTS"); }

static void add(const void* opened, const char* prefix, const char* name, bool used) {
  pthread_mutex_lock(&changing);
  if (count < MOST) {
    transports[count].opened = opened;
    transports[count].used = used;
    snprintf(transports[count].name, LONGEST, "%s%s", prefix, name);
    ++count;
  }
  pthread_mutex_unlock(&changing);
}

LAT_EXPORT uct_status uct_iface_open(void* domain, void* worker,
                                     const struct uct_iface_params* params, const void* config,
                                     struct uct_iface** iface) {
  static open_function* original;
  lat_find((void**)&original, __func__, "libuct");
  const uct_status status = original(domain, worker, params, config, iface);
  if (status == UCT_OK && (params->open_mode & UCT_OPEN_MODE_DEVICE)) {
    add(*iface, "", params->transport, false);
  }
  return status;
}

LAT_EXPORT uct_status uct_ep_create(const struct uct_ep_params* params, struct uct_ep** ep) {
  static create_function* original;
  lat_find((void**)&original, __func__, "libuct");
  const uct_status status = original(params, ep);
  if (status != UCT_OK || !(params->field_mask & UCT_EP_OF_IFACE)) return status;
  pthread_mutex_lock(&changing);
  // An interface may be opened at the address of a closed one: the last one counts.
  int at = count - 1;
  while (at >= 0 && transports[at].opened != params->iface) --at;
  if (at >= 0) transports[at].used = true;
  pthread_mutex_unlock(&changing);
  return status;
}

LAT_EXPORT int fi_fabric(struct ofi_fabric_attr* attributes, struct ofi_fabric** fabric,
                         void* context) {
  static fabric_function* original;
  lat_find((void**)&original, __func__, "libfabric");
  const int status = original(attributes, fabric, context);
  if (status == 0 && attributes->provider) add(NULL, "ofi:", attributes->provider, true);
  return status;
}

LAT_EXPORT int fi_fabric2(struct ofi_info* info, struct ofi_fabric** fabric, uint64_t flags,
                          void* context) {
  static fabric2_function* original;
  lat_find((void**)&original, __func__, "libfabric");
  const int status = original(info, fabric, flags, context);
  if (status == 0 && info->fabric_attr->provider) {
    add(NULL, "ofi:", info->fabric_attr->provider, true);
  }
  return status;
}

static void write_transports(FILE* file) {
  version_function* version = NULL;
  *(void**)&version = lat_original("ucp_get_version_string", "libucp");
  if (version) fprintf(file, "library ucx %s\n", version());
  for (int i = 0; i < count; ++i) {
    if (transports[i].used) fprintf(file, "transport %s\n", transports[i].name);
  }
}

/// Writes a module of Open MPI. Open MPI loads its modules from files, of which only those in use
/// stay loaded; or it contains them itself.
static int write_module(struct dl_phdr_info* info, size_t size, void* file) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* base = slash ? slash + 1 : info->dlpi_name;
  char kind[LONGEST], name[LONGEST];
  if (sscanf(base, "mca_%63[a-z]_%63[^.]", kind, name) != 2) return 0;
  if (strcmp(kind, "pml") == 0 || strcmp(kind, "mtl") == 0 || strcmp(kind, "btl") == 0) {
    fprintf(file, "module %s %s\n", kind, name);
  }
  return 0;
}

/// Writes the chosen pml if Open MPI contains its modules itself: the choice is a variable whose
/// type and name follow three numbers each (mca_base_component_t).
static void write_chosen(FILE* file) {
  enum { TYPE = 40, NAME = 84 };
  const char* chosen = dlsym(RTLD_DEFAULT, "mca_pml_base_selected_component");
  if (!chosen) chosen = lat_original("mca_pml_base_selected_component", "libmpi");
  if (chosen && strcmp(chosen + TYPE, "pml") == 0) {
    fprintf(file, "module pml %.32s\n", chosen + NAME);
  }
}

static void write_settings(FILE* file) {
  static const char* const prefixes[] = {"UCX_", "OMPI_MCA_pml", "OMPI_MCA_btl", "OMPI_MCA_mtl",
                                         "FI_",  "MPIR_CVAR_",   "I_MPI_"};
  for (char** each = environ; *each; ++each) {
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
      if (strncmp(*each, prefixes[i], strlen(prefixes[i])) == 0 && !strchr(*each, '\n')) {
        fprintf(file, "setting %s\n", *each);
      }
    }
  }
}

static void write_all(void) {
  char host[256] = "", path[PATH_MAX];
  gethostname(host, sizeof host - 1);
  mkdir(directory(), 0777);  // the first of all ranks makes it
  snprintf(path, sizeof path, "%s/%s-%ld.txt", directory(), host, (long)getpid());
  FILE* file = fopen(path, "we");
  if (!file) return;  // the run goes on, whether or not its transports are known
  fprintf(file, "host %s\n", host);
  write_transports(file);
  write_chosen(file);
  dl_iterate_phdr(write_module, file);
  write_settings(file);
  fprintf(file, "end\n");
  fclose(file);
}

static int finalize(const char* name) {
  static bool begun;
  finalize_function* original = NULL;
  lat_find((void**)&original, name, "libmpi");
  if (directory() && !__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED)) write_all();
  return original();
}

LAT_EXPORT int MPI_Finalize(void) { return finalize("MPI_Finalize"); }

/// Open MPI's Fortran interface calls this one.
LAT_EXPORT int PMPI_Finalize(void) { return finalize("PMPI_Finalize"); }
