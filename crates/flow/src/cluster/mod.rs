//! Several processes that solve one system: how they find each other, whom they trust, and how they notice a loss.
