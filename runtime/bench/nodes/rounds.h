#ifndef LATITUDE_BENCH_ROUNDS_H
#define LATITUDE_BENCH_ROUNDS_H

/// Every player meets every other one once in `rounds_of(players)` rounds of disjoint pairs (the
/// circle method). Returns the partner of `player`, or -1 for none.
int round_partner(int players, int round, int player);
int rounds_of(int players);

/// The number of this player's pair among the pairs of a round, which are ordered by their first
/// players.
int round_place(int players, int round, int player);

#endif
