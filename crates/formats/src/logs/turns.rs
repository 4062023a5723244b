//! Pieces of a log, lines or elements of an array, that are parsed one by one on several threads.

use causet_base::in_order;

use crate::error::ReadError;

/// Parses pieces one by one, knowing nothing of the others: lines, or elements of an array.
pub(crate) trait Parse: Sync {
    /// What a piece says.
    type Item<'l>;

    /// Whether blank lines say something.
    const BLANK: bool = false;

    /// What a piece says, if anything; the number of the line it starts on is counted from 1.
    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, ReadError>;
}

/// Where blocks of pieces come from, one after the other.
pub(crate) trait Blocks: Send {
    /// Some pieces; one that was used is filled again.
    type Block: Default;

    /// Fills a block with the next pieces; whether there are any.
    fn fill(&mut self, block: &mut Self::Block) -> Result<bool, ReadError>;

    /// Appends what the pieces of a block say, up to the first one at fault.
    fn parse<'b, P: Parse>(
        block: &'b Self::Block,
        parser: &P,
        items: &mut Vec<P::Item<'b>>,
    ) -> Result<(), ReadError>;
}

/// Parses all blocks and takes what they say in their order.
pub(crate) fn each<B: Blocks, P: Parse>(
    mut blocks: B,
    workers: usize,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let fill = move |(block, _): &mut (B::Block, usize)| blocks.fill(block);
    // One block has about as many pieces as another.
    in_order(fill, workers, take, |(block, usual), turn| {
        let mut items = Vec::with_capacity(*usual);
        let parsed = B::parse(block, parser, &mut items);
        *usual = items.len();
        turn.take(|take| {
            items.into_iter().try_for_each(take)?;
            parsed.map(|()| true)
        });
    })
}
