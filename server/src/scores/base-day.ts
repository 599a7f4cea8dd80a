// Under which day the counts of folded days are added up.

/** No step is ever dated so. */
export const BASE_DAY = '0001-01-01'
