//! What a matrix of marks says, without a verdict (`D12.1`).
