// Draws charts as SVG by hand, readable on a light and on a dark page. Pure.
import { WAYS, type Way } from './rounds.ts'

const WIDTH = 720
const NAMES: Record<Way, string> = {
  ours: 'Bellwether',
  usual: 'the usual way',
  limit: 'the limit',
}

/** Colours that keep their contrast on white and on black; the ink follows the reader's scheme. */
const STYLE = `<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .soft { fill: #57606a; font-size: 12px }
  .axis { stroke: #8c959f; stroke-width: 1 }
  .grid { stroke: #8c959f; stroke-width: 1; opacity: 0.25 }
  .ours { fill: #2563eb; stroke: #2563eb }
  .usual { fill: #d97706; stroke: #d97706 }
  .limit { fill: #6b7280; stroke: #6b7280 }
  .line { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .soft { fill: #9198a1 }
  }
</style>`

export function showNumber(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function frame(title: string, height: number, parts: readonly string[]): string {
  const shape = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}"`
  const head = `<svg ${shape} height="${height}" role="img" aria-label="${asText(title)}">`
  const words = `<text class="title" x="0" y="18">${asText(title)}</text>`
  return `${[head, STYLE, words, ...parts, '</svg>'].join('\n')}\n`
}

export type Bar = { label: string; value: number; way: Way }

/** Lying bars from zero; the number stands at the end of each. */
export function drawBars(title: string, bars: readonly Bar[], unit: string): string {
  const [left, row, most] = [210, 30, Math.max(...bars.map(bar => bar.value), 1e-9)]
  const room = WIDTH - left - 150
  const parts = bars.map(({ label, value, way }, i) => {
    const y = 34 + i * row
    const width = Math.max(1, (value / most) * room)
    const end = `${showNumber(value)} ${unit}`
    return [
      `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${asText(label)}</text>`,
      `<rect class="${way}" x="${left}" y="${y}" width="${width.toFixed(1)}" height="20" rx="3"/>`,
      `<text class="soft" x="${(left + width + 8).toFixed(1)}" y="${y + 15}">${asText(end)}</text>`,
    ].join('\n')
  })
  return frame(title, 44 + bars.length * row, parts)
}

export type Line = { way: Way; points: readonly (readonly [number, number])[] }

const BOX = { left: 80, top: 40, right: 150, bottom: 44, height: 300 }

/** Both axes by decades, so that a straight line tells how the figure grows with the size. */
export function drawCurve(title: string, lines: readonly Line[], along: string, unit: string) {
  const all = lines.flatMap(line => line.points)
  const x = decades(all.map(([size]) => size))
  const y = decades(all.map(([, value]) => value))
  const { left, top, right, bottom, height } = BOX
  const atX = (size: number) => left + x.share(size) * (WIDTH - left - right)
  const atY = (value: number) => height - bottom - y.share(value) * (height - top - bottom)
  const parts = [
    ...x.ticks.map(tick => {
      const at = atX(tick).toFixed(1)
      return (
        `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}"/>` +
        `<text class="soft" x="${at}" y="${height - bottom + 18}" text-anchor="middle">${showNumber(tick)}</text>`
      )
    }),
    ...y.ticks.map(tick => {
      const at = atY(tick).toFixed(1)
      return (
        `<line class="grid" x1="${left}" x2="${WIDTH - right}" y1="${at}" y2="${at}"/>` +
        `<text class="soft" x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${showNumber(tick)}</text>`
      )
    }),
    `<text class="soft" x="${left}" y="${height - 6}">${asText(along)}; ${asText(unit)}</text>`,
    ...lines.map(line => drawLine(line, atX, atY)),
  ]
  return frame(title, height, parts)
}

function drawLine({ way, points }: Line, atX: (n: number) => number, atY: (n: number) => number) {
  const places = points.map(([size, value]) => [atX(size).toFixed(1), atY(value).toFixed(1)])
  const path = places.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join(' ')
  const dots = places.map(([x, y]) => `<circle class="${way}" cx="${x}" cy="${y}" r="3.5"/>`)
  const [x, y] = places.at(-1)!
  const name = `<text x="${Number(x) + 10}" y="${Number(y) + 4}">${NAMES[way]}</text>`
  return [`<path class="line ${way}" style="fill:none" d="${path}"/>`, ...dots, name].join('\n')
}

/** Whole powers of ten around the values, with 3 × between where there are few. */
function decades(values: readonly number[]) {
  const good = values.filter(value => value > 0)
  const low = Math.floor(Math.log10(Math.min(...good)) + 1e-9)
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...good)) - 1e-9))
  const ticks: number[] = []
  for (let power = low; power <= high; power++) {
    ticks.push(10 ** power)
    if (high - low < 3 && power < high) ticks.push(3 * 10 ** power)
  }
  return {
    ticks,
    share: (value: number) => (Math.log10(Math.max(value, 1e-12)) - low) / (high - low),
  }
}

export function barsOf(figures: Partial<Record<Way, number>>): Bar[] {
  return WAYS.flatMap(way => {
    const value = figures[way]
    return value === undefined ? [] : [{ label: NAMES[way], value, way }]
  })
}
