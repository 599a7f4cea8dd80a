// Jobs as the API shows them. Pure.
import type { JobRow } from './jobs.queries.ts'
import type { Preview } from './preview.ts'
import type { RecalculationScope } from './recalculate-employees.ts'
import type { RetractionResult, RetractionScope } from './retract-by-filter.ts'

function common(job: JobRow) {
  const { job_id, status, total, processed, changed } = job
  const { created_at, started_at, finished_at, error } = job
  return {
    job_id,
    status,
    created_at,
    started_at,
    finished_at,
    error,
    employees_total: total ?? 0,
    employees_processed: processed,
    scores_changed: changed,
  }
}

export function recalculationView(job: JobRow) {
  // A change of settings covers everyone and names no department.
  const { department = null } = job.scope as Partial<RecalculationScope>
  const result = job.kind === 'preview' ? (job.result as Preview | null) : null
  return {
    ...common(job),
    scope: department === null ? 'all' : { department },
    dry_run: job.kind === 'preview',
    ...(result ? { result: previewView(result) } : {}),
  }
}

export function retractionView(job: JobRow) {
  const { filter, reason, dry_run } = job.scope as RetractionScope
  const result = job.result as RetractionResult | null
  const given = Object.entries(filter).filter(([name, value]) => {
    return name === 'conditions' ? Object.keys(value as object).length > 0 : value !== null
  })
  return {
    ...common(job),
    reason,
    dry_run,
    filter: Object.fromEntries(given),
    events_matched: job.events,
    employees_affected: result?.employees_affected ?? 0,
    ...(result?.preview ? { result: previewView(result.preview) } : {}),
  }
}

function previewView({ truncated, ...preview }: Preview) {
  return { ...preview, ...(truncated ? { truncated } : {}) }
}
