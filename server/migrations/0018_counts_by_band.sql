-- People of a band are counted for every list of one: their cells stand together, those of all departments.
ALTER TABLE score_counts DROP CONSTRAINT score_counts_pk,
  ADD CONSTRAINT score_counts_pk PRIMARY KEY (tenant_id, day, status, band, department, score, slot);
