#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "job.h"

static const struct option_word* named(const struct option_word* words, const char* argument,
                                       size_t length) {
  for (const struct option_word* word = words; word->name; ++word) {
    if (strlen(word->name) == length && strncmp(word->name, argument, length) == 0) return word;
  }
  return NULL;
}

void bench_options(int count, char** arguments, const struct option_word* words) {
  for (int i = 1; i < count; ++i) {
    const char* value = strchr(arguments[i], '=');
    const struct option_word* word =
        value ? named(words, arguments[i], (size_t)(value - arguments[i])) : NULL;
    if (!word) bench_fail("'%s' is no option of this program", arguments[i]);
    ++value;
    if (word->text) {
      *word->text = value;
      continue;
    }
    char* end;
    *word->number = strtod(value, &end);
    if (end == value || *end) bench_fail("'%s': a number was expected", arguments[i]);
  }
}
