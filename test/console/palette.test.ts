import test from 'ava'
import { countOfResults, idIn, matching, type Entry } from '../../console/parts/palette/matching.ts'

const entry = (name: string, beside?: string, group = 'All'): Entry => ({
  id: name,
  group,
  name,
  ...(beside !== undefined && { beside }),
  run: () => {},
})

const entries = [
  entry('Home'),
  entry('Connect a site'),
  entry('Issue sorter'),
  entry('Sorter of mails'),
  entry('Tracker', 'https://tracker.example:4001'),
  entry('Issue sorter #12', 'failed'),
  entry('Übersicht'),
]

const table: [string, string, string[]][] = [
  ['nothing typed finds everything, in the given order', '', entries.map(({ name }) => name)],
  ['the beginning of any word finds', 'site', ['Connect a site']],
  ['upper case and spaces around do not matter', '  HOME ', ['Home']],
  ['a name that begins so comes first', 'sort', ['Sorter of mails', 'Issue sorter', 'Issue sorter #12']],
  ['every typed word must be found, in any order', 'sor iss', ['Issue sorter', 'Issue sorter #12']],
  ['the middle of a word does not find', 'racker', []],
  ['what stands beside finds too', 'tracker.ex', ['Tracker']],
  ['the number of a run finds it', '#12', ['Issue sorter #12']],
  ['the number of a run finds it without its sign', 'sorter 12', ['Issue sorter #12']],
  ['a letter outside of English is a letter', 'bersicht', []],
  ['a status finds', 'fail', ['Issue sorter #12']],
]

for (const [title, typed, names] of table)
  test(`the palette: ${title}`, (t) =>
    t.deepEqual(
      matching(entries, typed).map(({ name }) => name),
      names,
    ))

test('the palette shows at most eight entries of a group, and all groups', (t) => {
  const many = Array.from({ length: 20 }, (_, at) => entry(`Agent ${at}`, undefined, 'Agents'))
  t.is(matching([...many, entry('Agents', undefined, 'Pages')], 'agent').length, 9)
})

const id = '0199b2c4-7a10-7cc3-8f7e-1f2d3c4b5a69'
const other = '0199b2c4-7a10-7cc3-8f7e-000000000000'
const pasted: [string, string | undefined][] = [
  [id, id],
  [` ${id.toUpperCase()}\n`, id],
  [`https://switchyard.example/console/w/${other}/runs/${id}`, id],
  [`curl https://switchyard.example/runs/${id}/events`, id],
  [id.slice(0, -1), undefined],
  ['sorter', undefined],
]
for (const [typed, expected] of pasted)
  test(`the id in ${JSON.stringify(typed)} is ${expected}`, (t) => t.is(idIn(typed), expected))

test('the number of results is said in words', (t) =>
  t.deepEqual([0, 1, 2].map(countOfResults), ['Nothing found', '1 result', '2 results']))
