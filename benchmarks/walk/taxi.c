/* How fast can taxi be walked under an optimal policy, with nothing around it?
 *
 * The floor of `tucrl bench --only learning-loop`, in C: 500 states, 6 actions, 300 possible next states after a
 * delivery, the rules and rewards of the world `taxi`. Each step looks up the action, counts the visit of the pair,
 * adds the reward and takes the next state. Prints nanoseconds per step, of the processor's time.
 *
 *     cc -O3 -march=native benchmarks/walk/taxi.c -o taxi && ./taxi
 *
 * -DBISECT finds the next state after a delivery by bisection instead of from where it is if all are equally likely.
 * -DCHAIN walks the Markov chain of the policy, in which there are no actions: the least that any walk can cost.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { STATES = 500, ACTIONS = 6, STARTS = 300, IN_TAXI = 4, DELIVERY = STATES };

struct pair {
    double reward;
    uint32_t next;
};

static struct pair pairs[STATES * ACTIONS];
static uint64_t visits[STATES * ACTIONS];
static uint32_t starts[STARTS];
static double sums[STARTS]; /* of the probabilities of the starts */
static uint32_t policy[STATES]; /* the pair that is played */

static int is_wall_east_of(int row, int column)
{
    return (row == 0 && column == 1) || (row >= 3 && (column == 0 || column == 2));
}

/* State ((row * 5 + column) * 5 + passenger) * 4 + destination. */
static void build(void)
{
    static const int depots[4] = { 0, 4, 20, 23 };
    int count = 0;
    for (int state = 0; state < STATES; state++) {
        int destination = state % 4, passenger = state / 4 % 5, cell = state / 20;
        int row = cell / 5, column = cell % 5, depot = -1;
        for (int i = 0; i < 4; i++)
            if (depots[i] == cell)
                depot = i;
        if (passenger != IN_TAXI && passenger != destination)
            starts[count++] = state;
        for (int action = 0; action < ACTIONS; action++) {
            int to = cell, who = passenger, is_delivery = 0;
            double reward = 0.3;
            if (action == 0)
                to += row < 4 ? 5 : 0;
            else if (action == 1)
                to -= row > 0 ? 5 : 0;
            else if (action == 2)
                to += column < 4 && !is_wall_east_of(row, column);
            else if (action == 3)
                to -= column > 0 && !is_wall_east_of(row, column - 1);
            else if (action == 4 && depot == passenger)
                who = IN_TAXI;
            else if (action == 5 && passenger == IN_TAXI && depot == destination)
                is_delivery = 1, reward = 1.0;
            else if (action == 5 && passenger == IN_TAXI && depot >= 0)
                who = depot;
            else
                reward = 0.0;
            struct pair *pair = &pairs[state * ACTIONS + action];
            pair->reward = reward;
            pair->next = is_delivery ? DELIVERY : (uint32_t)((to * 5 + who) * 4 + destination);
        }
    }
    double sum = 0.0;
    for (int i = 0; i < STARTS; i++)
        sums[i] = sum += 1.0 / STARTS;
}

/* Relative value iteration with a step of 0.9, which has no period. */
static void solve(void)
{
    static double value[STATES], better[STATES];
    for (int sweep = 0; sweep < 3000; sweep++) {
        double start = 0.0;
        for (int i = 0; i < STARTS; i++)
            start += value[starts[i]] / STARTS;
        for (int state = 0; state < STATES; state++) {
            better[state] = -1e300;
            for (int action = 0; action < ACTIONS; action++) {
                uint32_t pair = state * ACTIONS + action, next = pairs[pair].next;
                double ahead = next == DELIVERY ? start : value[next];
                double whole = pairs[pair].reward + 0.9 * ahead + 0.1 * value[state];
                if (whole > better[state] + 1e-12)
                    better[state] = whole, policy[state] = pair;
            }
        }
        for (int state = 0; state < STATES; state++)
            value[state] = better[state] - better[starts[0]];
    }
}

/* xoshiro256++ */
static inline uint64_t rotated(uint64_t word, int by) { return word << by | word >> (64 - by); }

static inline double unit(uint64_t s[4])
{
    uint64_t bits = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t, s[3] = rotated(s[3], 45);
    return (bits >> 11) * 0x1p-53;
}

static inline uint32_t drawn(double unit)
{
#ifdef BISECT
    uint32_t index = 0;
    for (uint32_t left = STARTS; left > 1;) {
        uint32_t half = left / 2;
        index = unit >= sums[index + half - 1] ? index + half : index;
        left -= half;
    }
#else
    uint32_t index = (uint32_t)(unit * STARTS);
    while (index > 0 && unit < sums[index - 1])
        index--;
    while (index + 1 < STARTS && unit >= sums[index])
        index++;
#endif
    return starts[index];
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void)
{
    const uint64_t steps = 100000000;
    uint64_t s[4] = { 1, 2, 3, 4 };
    build();
    solve();
#ifdef CHAIN
    static struct pair chain[STATES];
    for (int state = 0; state < STATES; state++)
        chain[state] = pairs[policy[state]];
#endif
    for (int turn = 0; turn < 5; turn++) {
        uint32_t state = starts[0];
        double earned = 0.0, begin = seconds();
        for (uint64_t step = 0; step < steps; step++) {
#ifdef CHAIN
            struct pair *pair = &chain[state];
            visits[state]++;
#else
            struct pair *pair = &pairs[policy[state]];
            visits[policy[state]]++;
#endif
            earned += pair->reward;
            state = pair->next;
            if (state == DELIVERY)
                state = drawn(unit(s));
        }
        double taken = seconds() - begin;
        printf("%.2f ns per step; mean reward %.5f, optimal %.5f\n", 1e9 * taken / steps,
               earned / steps, 0.3 + 210.0 / 3761.0);
    }
    uint64_t total = 0;
    for (int pair = 0; pair < STATES * ACTIONS; pair++)
        total += visits[pair];
    return total == 5 * steps ? 0 : 1;
}
