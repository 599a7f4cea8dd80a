-- An erasure is a job like others now.
DROP TABLE erasures;
