// Which of the parallel rows of a kept count is written to. Releases before this one wrote to others, too.

/** Where entries are added up. */
export const ADDED_UP = 16
