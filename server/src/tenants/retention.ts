// How long a tenant may choose to keep its events, in months.

export const RETENTION_MONTHS = { least: 6, most: 36, usual: 12 } as const
