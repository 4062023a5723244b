/* The alternating-bit protocol with the states of `causet lts gen bitalt`: one step of a component, one step of Spin.
 *
 * A single process takes the steps of all four components, so that nothing but the variables makes a state. The choice
 * of a message would be a loop with states of its own: the line of puts is repeated instead, once for each message,
 * where it says `puts`. Nothing reads what was got, so Spin must be told not to leave it out: `spin -a -o2`.
 */

#define IDLE 0
#define SENDING 1
#define WAITING 2

#define DELIVERING 1
#define ACCEPTING 2
#define REPEATED 3
#define GARBLED 4
#define MISSING 5

/* The transmitter, the channel of messages, the channel back, the receiver. */
byte place = IDLE; bit sent_bit; byte sent;
bit data_full; byte data; bit data_bit;
bit back_full; bit back_bit;
byte desk = IDLE; bit expected; byte got;

active proctype protocol() {
  do
  /* puts: :: d_step { place == IDLE -> place = SENDING; sent = MESSAGE } */
  :: d_step { place == SENDING && !data_full -> place = WAITING; data_full = 1; data = sent; data_bit = sent_bit }
  :: d_step { place == WAITING -> place = SENDING }
  :: d_step { place == WAITING && back_full && back_bit == sent_bit -> back_full = 0; place = IDLE; sent_bit = 1 - sent_bit }
  :: d_step { place == WAITING && back_full && back_bit != sent_bit -> back_full = 0; place = SENDING }
  :: d_step { place == WAITING && back_full -> back_full = 0; place = SENDING }
  :: d_step { data_full -> data_full = 0 }
  :: d_step { back_full -> back_full = 0 }
  :: d_step { desk == IDLE && data_full && data_bit == expected -> data_full = 0; got = data; desk = DELIVERING }
  :: d_step { desk == IDLE && data_full && data_bit != expected -> data_full = 0; got = data; desk = REPEATED }
  :: d_step { desk == IDLE && data_full -> data_full = 0; desk = GARBLED }
  :: d_step { desk == IDLE -> desk = MISSING }
  :: d_step { desk == DELIVERING -> desk = ACCEPTING }
  :: d_step { desk == ACCEPTING && !back_full -> back_full = 1; back_bit = expected; expected = 1 - expected; desk = IDLE }
  :: d_step { desk >= REPEATED && !back_full -> back_full = 1; back_bit = 1 - expected; desk = IDLE }
  od
}
