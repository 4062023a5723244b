/* Peterson's lock without the assignment with which a process says that it wants to enter. */

bool wants[2];
byte turn;

active [2] proctype P()
{
	byte rounds;
	bool inside;

	do
	:: rounds < 2 ->
		/* wants[_pid] = true is missing here */
		turn = 1 - _pid;
		(wants[1 - _pid] == false || turn == _pid);
		inside = true;
		inside = false;
		wants[_pid] = false;
		rounds++
	:: rounds == 2 ->
		break
	od
}
