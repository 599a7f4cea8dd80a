// Ten planted bugs, each a small change of one file's text, that the fault tests must catch. The product knows nothing
// of them: they are put in while a process of the fault tests loads its code.

export type Edit = {
  /** From the root of the repository. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly find: string
  readonly put: string
  /** Added at the end of the file. */
  readonly more?: string
}

export type Plant = {
  readonly about: string
  /** The finding that it must cause: any other one may be the machine's. */
  readonly told_by: RegExp
  readonly edits: readonly Edit[]
}

const EARLY = `
function answerEarly(db, tenant_id, work) {
  return new Promise((resolve, reject) => {
    db.inTenant(tenant_id, async tx => {
      const answers = await work(tx)
      resolve(answers)
      await new Promise(later => setTimeout(later, 400))
      return answers
    }).catch(reject)
  })
}
`

export const PLANTS: Readonly<Record<string, Plant>> = {
  'answer-before-commit': {
    about: 'an event is answered before its transaction is committed',
    told_by: /\/v1\/events\/\w+ was answered 404|was acknowledged, it is there 0 times/,
    edits: [
      {
        file: 'server/src/events/ingest-events.ts',
        find: 'return context.db.inTenant(tenant_id, work)',
        put: 'return answerEarly(context.db, tenant_id, work)',
        more: EARLY,
      },
    ],
  },
  'lease-without-fence': {
    about: 'the outcome of a claim that was lost is recorded all the same',
    told_by: /recorded as delivered more than once|attempts began before the one before it/,
    edits: [
      {
        file: 'server/src/webhooks/claims.queries.ts',
        find: 'AND d.fence = u.fence\n      RETURNING d.attempts',
        put: 'AND u.fence IS NOT NULL\n      RETURNING d.attempts',
      },
    ],
  },
  'tenant-filter-dropped': {
    about: 'an event is found by its id in any tenant, and row-level security is off',
    told_by: /^another tenant was shown/,
    edits: [
      {
        file: 'server/src/events/events.queries.ts',
        find: `JOIN employees p ON p.tenant_id = \${tenant_id} AND p.employee_id = v.employee_id
    JOIN employee_states s ON s.tenant_id = \${tenant_id} AND s.employee_id = v.employee_id
    WHERE v.tenant_id = \${tenant_id} AND v.event_id = \${event_id}\``,
        put: `JOIN employees p ON p.tenant_id = v.tenant_id AND p.employee_id = v.employee_id
    JOIN employee_states s ON s.tenant_id = v.tenant_id AND s.employee_id = v.employee_id
    WHERE \${tenant_id}::text IS NOT NULL AND v.event_id = \${event_id}\``,
      },
      {
        // Row-level security is the second lock; it must be open too for anything to be seen.
        file: 'server/src/platform/database.ts',
        find: 'export function openDatabase(options: DatabaseOptions): Database {',
        put: `export function openDatabase(given: DatabaseOptions): Database {
  const options = { ...given, roles: null }`,
      },
    ],
  },
  'failures-rolled-back': {
    about: 'failed logins are counted in a transaction that is rolled back',
    told_by: /^a guess after \d+ failures was judged/,
    edits: [
      {
        file: 'server/src/accounts/take-attempt.ts',
        find: '    await saveThrottles(tx, counted)\n    return longest\n  })',
        put: `    await saveThrottles(tx, counted)
    if (longest > 0) return longest
    throw 'rolled back'
  }).catch(error => { if (error === 'rolled back') return 0; throw error })`,
      },
    ],
  },
  'changed-delivery-id': {
    about: 'every claim of a delivery is sent under an id of its own',
    told_by: /messages never came/,
    edits: [
      {
        file: 'server/src/webhooks/send-deliveries.ts',
        find: 'const headers = deliveryHeaders(delivery, signatures, started_at)',
        put: `const renamed = { ...delivery, delivery_id: delivery_id + delivery.fence.slice(0, 2) }
    const headers = deliveryHeaders(renamed, signatures, started_at)`,
      },
    ],
  },
  'counted-twice-on-retry': {
    about: 'a repeated request with the same Idempotency-Key is carried out again',
    told_by: /repeated with its key and answered 201|it is there (?:[2-9]|\d\d+) times/,
    edits: [
      {
        file: 'server/src/idempotency/answer-once.ts',
        find: 'const rest = wanted.filter(one => !fresh.has(one.request))',
        put: 'const rest = wanted.filter(() => false)',
      },
    ],
  },
  'decay-without-history': {
    about: 'a score that moved with time has no row of history',
    told_by: /changes of score, \d+ were told of|the last history row/,
    edits: [
      {
        file: 'server/src/employees/record-steps.ts',
        find: 'insertHistory(tx, tenant_id, steps)]',
        put: "insertHistory(tx, tenant_id, steps.filter(step => step.reason !== 'decay'))]",
      },
    ],
  },
  'delivery-lost-at-redelivery': {
    about: 'a delivery whose worker died is never claimed again',
    told_by: /deliveries are not delivered/,
    edits: [
      {
        file: 'server/src/webhooks/claims.queries.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of another file
        find: 'SET fence = ${fence}, lease_until = ${lease_until}',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of another file
        put: 'SET fence = ${fence}, lease_until = ${lease_until}, next_attempt_at = NULL',
      },
    ],
  },
  'answer-not-saved': {
    about: 'the answer of a request with an Idempotency-Key is not saved',
    told_by: /answered 409 .*the first request with this key/,
    edits: [
      {
        file: 'server/src/idempotency/answer-once.ts',
        find: 'if (kept.length > 0) await saveAnswers(tx, tenant_id, kept)',
        put: 'if (kept.length > 100_000) await saveAnswers(tx, tenant_id, kept)',
      },
    ],
  },
  'stale-read-after-commit': {
    about: 'a process goes on with the rules it has read before',
    told_by: /^a rule was set to -?\d+, the next event counted/,
    edits: [
      {
        file: 'server/src/rules/rule-book.ts',
        find: 'if (known?.rules_version === rules_version) return known.book',
        put: 'if (known) return known.book',
      },
    ],
  },
}

/** Of all findings those that give this plant away; where nothing is planted any one is a fault. */
export function tellingOf(plant: string | null, findings: readonly string[]): string[] {
  const told_by = plant === null ? /^/ : PLANTS[plant]!.told_by
  return findings.filter(finding => told_by.test(finding))
}

/** Invariant: a plant that no longer fits its file is an error, never a run without it. */
export function plantInto({ file, find, put, more = '' }: Edit, text: string): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file} holds the place of a planted bug not once`)
  return parts.join(put) + more
}
