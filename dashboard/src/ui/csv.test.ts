// CSV in and out: what people's spreadsheets write, and what must not run in them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvCell, parseCsv, printCsv } from './csv.ts'

describe('out', () => {
  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tcmd', "'\tcmd"],
    ['\u0000=1+1', "'\u0000=1+1"],
    ['＝1+1', "'＝1+1"],
    ['=a,"b"', '"\'=a,""b"""'],
    ['  =1+1', "'  =1+1"],
    ['\u00a0@SUM(A1)', "'\u00a0@SUM(A1)"],
    ['"=1+1', '"\'""=1+1"'],
    ["x;=cmd|'/C calc'!A0;y", "x;'=cmd|'/C calc'!A0;y"],
    ['x; \t|  -1', "x; \t|'  -1"],
    ['x;"=1', '"x;\'""=1"'],
    ['a,+1\r\n@b', '"a,\'+1\r\n\'@b"'],
    ["x;'=1", "x;''=1"],
    ['Sales @ Berlin', 'Sales @ Berlin'],
    ['R&D; North | South - "East"', '"R&D; North | South - ""East"""'],
    ["it's; 'quoted'\r\n- no, 'tis", "\"it's; 'quoted'\r\n'- no, 'tis\""],
    [-2, '-2'],
    [null, ''],
    [undefined, ''],
  ])('%j becomes %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell)
  })

  test('a file says that it is UTF-8: without the mark a spreadsheet shows other letters', () => {
    expect(printCsv(['name'], [['Zoé']])).toBe('\uFEFFname\r\nZoé\r\n')
  })

  test('what is printed is read back the same', () => {
    const rows = [
      ['a', 'b,c', 'd"e'],
      ['f\r\ng', '', 'h'],
      ['=1+1', '-2', '+49 30'],
      ["'=1+1", "it's", "'quoted'"],
      ['\r=a', '\n=b', "''@c"],
    ]
    const read = parseCsv(printCsv(['x', 'y', 'z'], rows)).map(row => row.cells)
    expect(read).toEqual([['x', 'y', 'z'], ...rows])
  })
})

/** As another program might read it; without quotes, as one that knows none. */
function readBy(separator: string, text: string, quotes: boolean): string[] {
  const cells: string[] = []
  let [cell, quoted] = ['', false]
  for (const letter of text) {
    if (quotes && letter === '"' && (quoted || cell.trim() === '')) quoted = !quoted
    else if (!quoted && (letter === separator || letter === '\r' || letter === '\n')) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  return [...cells, cell]
}

const SEPARATORS = [',', ';', '\t', '|']
const hostile = fc
  .array(
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.constantFrom(...'=+-@＝＋－＠\'";|,\t\r\n\u0000 \u00a0ab'.split('')),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(''))
const table = fc.array(fc.tuple(hostile, hostile, hostile), { minLength: 1, maxLength: 5 })

describe('whatever the texts', () => {
  test('any are read back as they were printed', () => {
    fc.assert(
      fc.property(table, rows => {
        const filled = rows.map(row => ['.', ...row])
        const [, ...read] = parseCsv(printCsv(['a', 'b', 'c', 'd'], filled))
        expect(read.map(row => row.cells)).toEqual(filled)
      }),
      { numRuns: 2000 },
    )
  })

  test('none becomes a formula, by whichever separator the file is read', () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(...SEPARATORS),
        fc.boolean(),
        (rows, separator, quotes) => {
          const cells = readBy(separator, printCsv(['a', 'b', 'c'], rows), quotes)
          const run = cells.filter(cell => /^[\s\p{Cc}"]*[=+\-@＝＋－＠]/u.test(cell))
          expect(run).toEqual([])
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('in', () => {
  test('separators, quotes, empty lines, a byte order mark, and the line each row begins at', () => {
    expect(
      parseCsv('\uFEFFa;b\r\n\r\n"c;d";e\n"f\ng";h\ni;j').map(row => [row.line, row.cells]),
    ).toEqual([
      [1, ['a', 'b']],
      [3, ['c;d', 'e']],
      [4, ['f\ng', 'h']],
      [6, ['i', 'j']],
    ])
    expect(parseCsv('a\tb\n1\t2')[1]?.cells).toEqual(['1', '2'])
    expect(parseCsv('')).toEqual([])
  })

  test('lines that end in a carriage return alone, as old spreadsheets write them', () => {
    expect(parseCsv('a,b\rc,"d\re"\rf,g').map(row => [row.line, row.cells])).toEqual([
      [1, ['a', 'b']],
      [2, ['c', 'd\re']],
      [4, ['f', 'g']],
    ])
  })

  test('a quote that is never closed is told of: it has taken the rest of the file', () => {
    const rows = parseCsv('a,b\n1,"2\n3,4\n')
    expect(rows.map(row => row.unclosed)).toEqual([false, true])
    expect(rows[1]).toMatchObject({ line: 2, cells: ['1', '2\n3,4\n'] })
    expect(parseCsv('a,b\n1,"2"').every(row => !row.unclosed)).toBe(true)
  })
})
