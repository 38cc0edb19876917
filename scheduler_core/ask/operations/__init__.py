"""Operations on a whole cluster (drain, node failure, scale-up, upgrade), simulated from the end of a run."""
