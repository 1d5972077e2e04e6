#ifndef LATITUDE_BENCH_ROUNDS_H
#define LATITUDE_BENCH_ROUNDS_H

/// Everybody meets everybody else once in `rounds_of(players)` rounds of disjoint pairs (the circle
/// method). Returns whom `player` meets, or -1 for nobody.
int round_partner(int players, int round, int player);
int rounds_of(int players);

/// Of the pairs of a round in the order of their first players, which one this player's is.
int round_place(int players, int round, int player);

#endif
