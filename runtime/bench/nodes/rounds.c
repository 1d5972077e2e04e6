#include "rounds.h"

/// An imaginary player joins an odd number of players.
static int seats(int players) { return players + players % 2; }

int rounds_of(int players) { return seats(players) - 1; }

int round_partner(int players, int round, int player) {
  const int n = seats(players) - 1;  // these seats rotate, the last seat stays
  int partner;
  if (player == n) {
    partner = round % n;
  } else {
    partner = ((2 * round - player) % n + n) % n;
    if (partner == player) partner = n;
  }
  return partner < players ? partner : -1;
}

int round_place(int players, int round, int player) {
  const int partner = round_partner(players, round, player);
  const int first = partner < player ? partner : player;
  int place = 0;
  for (int other = 0; other < first; ++other) place += round_partner(players, round, other) > other;
  return place;
}
