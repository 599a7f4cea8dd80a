// Numbers about this process for Prometheus: counted where things happen, written out when asked.
//
// Module state on purpose: a count is of the process, like its memory, and is passed to nobody. Nothing reads it but
// the page of metrics.

type Labels = readonly string[]
type Metric = { readonly head: string; write(): string | Promise<string> }

const metrics = new Map<string, Metric>()

/** Added 0, a series is there from the start: the first time is then seen as an increase. */
export type Counter = { add(values: Labels, by?: number): void }
export type Histogram = { observe(values: Labels, value: number): void }
/** One value for each set of labels, asked for at the time of writing. */
export type Reading = readonly (readonly [values: Labels, value: number])[]

export const LATENCIES = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export function createCounter(name: string, about: string, labels: Labels = []): Counter {
  const series = new Map<string, { text: string; value: number }>()
  if (labels.length === 0) series.set('', { text: '', value: 0 })
  register(name, 'counter', about, () =>
    [...series.values()].map(({ text, value }) => `${name}${text} ${value}\n`).join(''),
  )
  return {
    add: (values, by = 1) => {
      const key = values.length === 1 ? values[0]! : values.join('\n')
      const found = series.get(key)
      if (found) found.value += by
      else series.set(key, { text: writeLabels(labels, values), value: by })
    },
  }
}

/** A count that something else keeps, asked for at the time of writing. */
export function createKeptCounter(name: string, about: string, read: () => number): void {
  register(name, 'counter', about, () => `${name} ${read()}\n`)
}

type Bars = { values: Labels; counts: number[]; sum: number; count: number }

export function createHistogram(
  name: string,
  about: string,
  labels: Labels,
  bounds: readonly number[],
): Histogram {
  const series = new Map<string, Bars>()
  register(name, 'histogram', about, () =>
    [...series.values()].map(bars => writeBars(name, labels, bounds, bars)).join(''),
  )
  return {
    observe: (values, value) => {
      const key = values.length === 1 ? values[0]! : values.join('\n')
      let bars = series.get(key)
      if (!bars) {
        bars = { values, counts: bounds.map(() => 0), sum: 0, count: 0 }
        series.set(key, bars)
      }
      let bar = 0
      while (bar < bounds.length && value > bounds[bar]!) bar++
      if (bar < bounds.length) bars.counts[bar]!++
      bars.sum += value
      bars.count++
    },
  }
}

export function createGauge(
  name: string,
  about: string,
  labels: Labels,
  read: () => Reading | Promise<Reading>,
): void {
  register(name, 'gauge', about, async () => {
    const reading = await read()
    return reading
      .map(([values, value]) => `${name}${writeLabels(labels, values)} ${value}\n`)
      .join('')
  })
}

/** Made again under its name it takes the place of the earlier one: each start of a server reads its own. */
function register(name: string, type: string, about: string, write: Metric['write']): void {
  metrics.set(name, { head: `# HELP ${name} ${about}\n# TYPE ${name} ${type}\n`, write })
}

/** The text format of Prometheus; a metric that cannot be read now is left out. */
export async function writeMetrics(): Promise<string> {
  const parts = [...metrics.values()].map(async ({ head, write }) => {
    const text = await Promise.resolve(write()).catch(() => '')
    return text === '' ? '' : head + text
  })
  return (await Promise.all(parts)).join('')
}

function writeBars(name: string, labels: Labels, bounds: readonly number[], bars: Bars): string {
  const { values, counts, sum, count } = bars
  let below = 0
  const lines = bounds.map((bound, i) => {
    below += counts[i]!
    return `${name}_bucket${writeLabels([...labels, 'le'], [...values, String(bound)])} ${below}\n`
  })
  const all = writeLabels([...labels, 'le'], [...values, '+Inf'])
  const own = writeLabels(labels, values)
  return `${lines.join('')}${name}_bucket${all} ${count}\n${name}_sum${own} ${sum}\n${name}_count${own} ${count}\n`
}

function writeLabels(labels: Labels, values: Labels): string {
  if (labels.length === 0) return ''
  const quote = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${labels.map((label, i) => `${label}="${quote(values[i] ?? '')}"`).join(',')}}`
}
