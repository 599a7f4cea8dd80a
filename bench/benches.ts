// Every benchmark by its name, in the order of the report.
import type { Bench } from './bench.ts'

export const BENCHES: Record<string, () => Promise<{ bench: Bench }>> = {
  ingest: () => import('./ingest.bench.ts'),
  'ingest-one': () => import('./ingest-one.bench.ts'),
  batch: () => import('./batch.bench.ts'),
  rules: () => import('./rules.bench.ts'),
  recalculate: () => import('./recalculate.bench.ts'),
  'dry-run': () => import('./dry-run.bench.ts'),
  views: () => import('./views.bench.ts'),
  deliver: () => import('./deliver.bench.ts'),
  decay: () => import('./decay.bench.ts'),
  start: () => import('./start.bench.ts'),
  scale: () => import('./scale.bench.ts'),
}
