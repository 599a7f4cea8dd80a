// The times of the fault tests: leases are short, so that nine minutes hold many of them.

export const SECRET_KEY = 'a key for fault tests only, long enough'
/** Of deliveries and jobs; a minute in an ordinary process. */
export const LEASE_MS = 6_000
/** One request to a receiver; 3 s and 10 s in an ordinary process. */
export const DEADLINES = { connect_ms: 1_000, total_ms: 2_500 }
/** A stopped process is stopped for longer than any lease. */
export const STOP_MS = LEASE_MS + 1_200
export const LATENCY_MS = 500
/** How long a disturbance lasts that has no length of its own. */
export const DISTURBED_MS = 2_500
/** After the database's return the first answer must come within this time. */
export const RETURN_LIMIT_MS = 5_000
/** After the load everything that is due must be done within this time. */
export const QUEUE_LIMIT_MS = 60_000
/** A client waits so long for an answer, then it does not know. */
export const ANSWER_LIMIT_MS = 12_000
