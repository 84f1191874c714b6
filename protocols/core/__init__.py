"""The parts that protocols share: regions, geometry, matching, credits, and the contract they keep."""
