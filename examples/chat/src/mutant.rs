//! What can be wrong with a server: every mutant deviates from the rules in one way.

/// A way to be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mutant {
    Crash,
    Eavesdropper,
    Echo,
    Forgotten,
    Ghost,
    LastFirst,
    MuteAlone,
    OldNews,
    OneEar,
    Parrot,
    Restless,
    SecretThird,
    ShortList,
    SlipsOut,
    Stranger,
    Tired,
    Twice,
    TwiceIn,
    WrongDoor,
    WrongName,
}

use Mutant::*;

impl Mutant {
    /// All of them, by name.
    pub(crate) const ALL: [Mutant; 20] = [
        Crash,
        Eavesdropper,
        Echo,
        Forgotten,
        Ghost,
        LastFirst,
        MuteAlone,
        OldNews,
        OneEar,
        Parrot,
        Restless,
        SecretThird,
        ShortList,
        SlipsOut,
        Stranger,
        Tired,
        Twice,
        TwiceIn,
        WrongDoor,
        WrongName,
    ];

    /// The mutant of that name.
    pub(crate) fn named(name: &str) -> Option<Mutant> {
        Mutant::ALL.into_iter().find(|mutant| mutant.name() == name)
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.described().0
    }

    /// What is wrong with it.
    pub(crate) fn sentence(self) -> &'static str {
        self.described().1
    }

    fn described(self) -> (&'static str, &'static str) {
        match self {
            Crash => ("crash", "the server dies when the last one leaves"),
            Eavesdropper => ("eavesdropper", "those outside hear what is said inside"),
            Echo => ("echo", "who says something hears it too"),
            Forgotten => (
                "forgotten",
                "who comes back is welcomed, but not put on the list",
            ),
            Ghost => ("ghost", "who has left hears what is said from then on"),
            LastFirst => (
                "last-first",
                "of two lines that are on their way, the later one is delivered first",
            ),
            MuteAlone => (
                "mute-alone",
                "who talks in an empty conference gets no answer",
            ),
            OldNews => (
                "old-news",
                "who opens a conference hears the last word of the one before",
            ),
            OneEar => ("one-ear", "only one of two others hears what is said"),
            Parrot => (
                "parrot",
                "whatever is said, the first words ever said are passed on",
            ),
            Restless => (
                "restless",
                "a conference that falls silent is asked whether anybody is there",
            ),
            SecretThird => (
                "secret-third",
                "the others are not told of a third one who joins",
            ),
            ShortList => ("short-list", "who joins is told of only one of two others"),
            SlipsOut => ("slips-out", "the others are not told that one leaves"),
            Stranger => ("stranger", "who is outside can talk to those inside"),
            Tired => ("tired", "after three messages no more are passed on"),
            Twice => ("twice", "who joined last hears everything twice"),
            TwiceIn => ("twice-in", "who is inside can join again"),
            WrongDoor => (
                "wrong-door",
                "whoever leaves, it is the last who joined that is put out",
            ),
            WrongName => (
                "wrong-name",
                "among three, everything is said in the name of the first who joined",
            ),
        }
    }
}
