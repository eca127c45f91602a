"""What all comparisons share: the environment of the peers, running and timing in turns, judging, reporting."""
