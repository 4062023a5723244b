//! A program that ends at once ends all groups it has started before, and no others. There is one test, since it ends
//! whatever else this process has started.

use causet_child::{Group, Words, end_all};

#[test]
fn all_groups_are_ended_at_once() {
    let words = Words::of("sleep 600").expect("words");
    let mut groups = [(); 2].map(|()| Group::spawn(&mut words.command()).expect("it starts"));
    let over = groups[0].end().expect("a status");
    assert_eq!(over.code(), None);
    end_all();
    let ended = groups[1].leader().wait().expect("a status");
    assert_eq!(ended.to_string(), over.to_string());
}
