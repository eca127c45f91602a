"""Operators on trees, against Pinocchio in C++."""
