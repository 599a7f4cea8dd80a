// One webhook subscription to everything, to a closed port of this machine: rows are written, nothing is sent here.
