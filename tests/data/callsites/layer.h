/* A program's own layer over MPI. */
void layer_put(char *bytes, int count, int peer);
void layer_get(char *bytes, int count, int peer);
