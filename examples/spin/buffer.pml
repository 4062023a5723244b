/* A buffer of one place, filled by one process and emptied by two that look before they take. */

bool loaded;
byte place;
byte next = 1;

active proctype producer()
{
	do
	:: next <= 3 ->
		(!loaded);
		place = next;
		loaded = true;
		next++
	:: next > 3 ->
		break
	od
}

active [2] proctype consumer()
{
	byte got;
	byte taken;

	do
	:: taken < 2 ->
		if
		:: loaded ->
			got = place;
			loaded = false;
			taken++
		:: next > 3 && !loaded ->
			break
		fi
	:: taken == 2 ->
		break
	od
}
