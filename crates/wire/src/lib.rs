//! Every format in and out: native trace files, drawings, reports.
