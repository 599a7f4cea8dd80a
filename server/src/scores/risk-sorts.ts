// The orders in which employees at risk can be listed.

export const RISK_SORTS = ['lowest_score', 'biggest_drop'] as const
export type RiskSort = (typeof RISK_SORTS)[number]
