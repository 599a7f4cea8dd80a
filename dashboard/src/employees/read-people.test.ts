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
