// Where the dashboard's sources and its built form are.

export const SOURCES = new URL('../../../dashboard/', import.meta.url)
export const BUILT = new URL('dist/', SOURCES)
