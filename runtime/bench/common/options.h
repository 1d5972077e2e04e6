#ifndef LATITUDE_BENCH_OPTIONS_H
#define LATITUDE_BENCH_OPTIONS_H

/// A word `name=value` of the command line. One of the pointers is set: to the place of the value,
/// which holds the default before.
struct option_word {
  const char* name;
  double* number;
  const char** text;
};

/// Reads the words after the program's name; ends the job with one line about an unknown word.
/// `words` ends with a name of NULL.
void bench_options(int count, char** arguments, const struct option_word* words);

#endif
