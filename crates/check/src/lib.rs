//! Deciding properties over all orders of a trace: plan, engines, witnesses, certificates.
