// Reading a file of people: which columns are known, and what is wrong with a line.
import { expect, test } from 'vitest'
import { readPeople } from './read-people.ts'

test('columns go by their usual names, in any order; unknown ones are left out and named', () => {
  const file = readPeople(
    'Surname,E-mail,Given name,Team,Shoe\nMoss,ada@acme.test,Ada,Finance,38\n',
  )
  expect(file.fault).toBeNull()
  expect(file.ignored).toEqual(['Shoe'])
  expect(file.lines).toEqual([
    {
      line: 2,
      person: {
        email: 'ada@acme.test',
        first_name: 'Ada',
        last_name: 'Moss',
        department: 'Finance',
      },
      faults: [],
    },
  ])
})

test('each line with errors says which', () => {
  const text =
    'email,first_name,last_name\nada@acme.test,Ada,Moss\nADA@acme.test,A,B\nnope,C,D\n,,E\n'
  const { lines } = readPeople(text)
  expect(lines.map(({ line, faults }) => [line, faults])).toEqual([
    [2, []],
    [3, ['the same email stands in line 2']],
    [4, ['email is not an address']],
    [5, ['email is missing', 'first_name is missing']],
  ])
})

test('an address is the same whether its accent stands on the letter or apart', () => {
  const two = ['zoë@acme.test', 'zoë@acme.test'.normalize('NFD')].map(email => `${email},Zoë,Moss`)
  const { lines } = readPeople(['email,first_name,last_name', ...two].join('\n'))
  expect(lines.map(one => one.faults)).toEqual([[], ['the same email stands in line 2']])
})

test('an address is the same in capitals, which know no final sigma', () => {
  const address = 'νίκος.παπάς@acme.test'
  const two = [address, address.toUpperCase()].map(email => `${email},Νίκος,Παπάς`)
  const { lines } = readPeople(['email,first_name,last_name', ...two].join('\n'))
  expect(lines.map(one => one.faults)).toEqual([[], ['the same email stands in line 2']])
})

test('a file without the columns needed, or without anything, is refused as a whole', () => {
  expect(readPeople('').fault).toBe('the file is empty')
  expect(readPeople('name,email\nAda,a@b.c').fault).toBe(
    'the first line must name the columns first_name, last_name; it reads “name, email”',
  )
})

test('a file of more people than may come at a time is refused as a whole', () => {
  const lines = Array.from({ length: 20_001 }, (_, i) => `p${i}@b.c,Ada,Byron`)
  const read = (count: number) =>
    readPeople(['email,first_name,last_name', ...lines.slice(0, count)].join('\n'))
  expect(read(20_000)).toMatchObject({ fault: null, lines: { length: 20_000 } })
  expect(read(20_001)).toMatchObject({ fault: 'at most 20,000 people at a time', lines: [] })
})

test('a file that is not text in UTF-8 is refused as a whole', async () => {
  const bytes = Uint8Array.from('email,first_name,last_name\na@b.c,Zo\u00eb,M\u00fcller', letter =>
    letter.charCodeAt(0),
  )
  const { lines, fault } = readPeople(await new Blob([bytes]).text())
  expect(fault).toContain('UTF-8')
  expect(lines).toEqual([])
  // A workbook, whose first line names nothing.
  expect(readPeople('PK\u0003\ufffd\ufffd\n\ufffd').fault).toContain('UTF-8')
})

const HEAD = 'email,first_name,last_name,department,title,location,manager_email'
const faultsOf = (...lines: string[]) =>
  readPeople([HEAD, ...lines].join('\n')).lines.map(line => line.faults)

test('the preview finds what the service would refuse', () => {
  const long = 'x'.repeat(201)
  expect(
    faultsOf(
      'ada@acme.test,Ada,Moss,,,,Kim Lee',
      `bo@acme.test,Bo,Moss,${long}`,
      'cy@acme.test,"Cy\nDee",Moss',
      'dee@acme.test,Dee,Mo\u2028ss',
      '<eve@acme.test>,Eve,Moss',
      `${'f'.repeat(320)}@acme.test,Fay,Moss`,
    ),
  ).toEqual([
    ['manager_email is not an address'],
    ['department must have at most 200 characters'],
    ['first_name must not contain line breaks or control characters'],
    ['last_name must not contain line breaks or control characters'],
    ['email is not an address'],
    ['email must have at most 320 characters'],
  ])
})

test('the preview lets through what the service takes', () => {
  const most = '\u{1f600}'.repeat(100)
  expect(faultsOf('ada@intranet,Ada,Moss', `bo+x@acme.test,${most},O'Hara,,,,kim@hq`)).toEqual([
    [],
    [],
  ])
})

test('a line with more cells than there are columns may stand in the wrong ones', () => {
  expect(
    faultsOf('ada@acme.test,Ada,Moss, Jr.,Finance,,,,x', 'bo@acme.test,Bo,Moss,,,,,,'),
  ).toEqual([['has more cells than the first line: does one hold a separator without quotes?'], []])
})

test('of two columns for one field the one that says it best counts, and the other is left out', () => {
  const file = readPeople(
    'Title,Team,email,first_name,last_name,Department,Job title,,\nMs,Ledger,ada@acme.test,Ada,Moss,Finance,CFO,,',
  )
  expect(file.ignored).toEqual(['Title', 'Team'])
  expect(file.lines[0]?.person).toMatchObject({ title: 'CFO', department: 'Finance' })
})

test('a column that stands twice could mean either: the file is refused', () => {
  const file = readPeople('email,first_name,last_name,Email\na@b.c,Ada,Moss,x@y.z\n')
  expect(file).toMatchObject({ fault: 'the first line names the column email twice', lines: [] })
})

test('what nobody sees is left out: of addresses and departments all of it, of names what none needs', () => {
  const { lines } = readPeople(
    `${HEAD}\na\u200cda\ufe0f@acme.test,\u200bنرم\u200cافزار\u200e,M\u00adoss,\ufeff Sa\u200dles\u{e0100}\u00a0,A\u{e0041}B,X\u3164\n` +
      'bo@acme.test,\u200d,Moss',
  )
  expect(lines.map(({ person, faults }) => ({ ...person, faults }))).toEqual([
    {
      ...{ email: 'ada@acme.test', first_name: 'نرم\u200cافزار', last_name: 'Moss' },
      ...{ department: 'Sales', title: 'AB', location: 'X', faults: [] },
    },
    {
      ...{ email: 'bo@acme.test', first_name: '', last_name: 'Moss' },
      faults: ['first_name is missing'],
    },
  ])
})

test('a quote that is never closed has taken the lines after it, so the file is refused', () => {
  const { fault } = readPeople('email,first_name,last_name\na@b.c,"Ada,Moss\nb@b.c,Bo,Moss\n')
  expect(fault).toBe('a quote in line 2 is never closed: all that follows would be one cell')
})

test('marks nobody sees, as they come along when pasted, are left out', () => {
  const file = readPeople(
    'email,first_name,last_name,manager_email\n\u202aada@acme.test\u202c,Ada\u202e,\u2068Moss\u2069,kim\u200b@acme.test',
  )
  expect(file.lines[0]).toMatchObject({
    person: {
      email: 'ada@acme.test',
      first_name: 'Ada',
      last_name: 'Moss',
      manager_email: 'kim@acme.test',
    },
    faults: [],
  })
})
