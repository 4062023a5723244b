/* Election in a ring: numbers go round, the largest comes back to its owner, who tells the others. */

#define N 3

mtype = { candidate, leader };
chan link[N] = [2] of { mtype, byte };

proctype node(byte here; byte mine)
{
	byte number;
	byte chosen;

	link[here]!candidate(mine);
	do
	:: link[(here + N - 1) % N]?candidate(number) ->
		if
		:: number > mine -> link[here]!candidate(number)
		:: number == mine -> chosen = mine; link[here]!leader(mine)
		:: number < mine -> skip
		fi
	:: link[(here + N - 1) % N]?leader(number) ->
		if
		:: number != mine -> chosen = number; link[here]!leader(number)
		:: number == mine -> skip
		fi;
		break
	od
}

init
{
	atomic {
		run node(0, 5);
		run node(1, 9);
		run node(2, 2)
	}
}
