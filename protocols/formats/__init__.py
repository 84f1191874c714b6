"""Reading and writing the files of the field; every fault is a Problem, never an exception."""
