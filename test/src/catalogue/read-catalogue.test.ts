import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { readCatalogue } from '../../../src/catalogue/read-catalogue.ts'
import { folderWith, problemsIn } from '../config/files.ts'

const good = {
  name: 'Issue tracker',
  dialect: 'manifest',
  address: 'https://tracker.example.com',
  authType: 'bearer',
  tokenHelp: 'Create a token under Settings.',
}
const open = { ...good, authType: 'none', tokenHelp: undefined }

const entries = (t: ExecutionContext, files: Record<string, unknown>) =>
  folderWith(
    t,
    Object.fromEntries(
      Object.entries(files).map(([name, file]) => [name, typeof file === 'string' ? file : JSON.stringify(file)]),
    ),
  )

test('the entries of all folders are one catalogue, in the order of their names', (t) => {
  const ours = entries(t, { 'tracker.json': { ...good, token: 'canary' }, 'README.md': 'Not an entry.' })
  const more = entries(t, { 'a-wiki.json': { ...open, dialect: 'mcp', tags: ['docs'], notes: 'Ours.' } })
  t.deepEqual(readCatalogue([]), [])
  const [wiki, tracker, ...others] = readCatalogue([ours, more])
  t.like(wiki, { id: 'a-wiki', dialect: 'mcp', tags: ['docs'], notes: 'Ours.' })
  const address = 'https://docs.example.com/api.json#https://api.example.com/v1'
  t.is(readCatalogue([entries(t, { 'api.json': { ...open, dialect: 'openapi', address } })])[0]?.address, address)
  t.like(tracker, { id: 'tracker', token: 'canary', notes: '' })
  t.deepEqual(others, [])
})

const wrong: [what: string, file: unknown, problem: string][] = [
  ['no JSON', '{ "canary', 'which is not valid JSON'],
  ['an unknown member', { ...good, adress: 'x' }, 'the file has an unknown member (did you mean address?)'],
  ['no name', { ...good, name: '' }, 'name must not be empty'],
  ['a long name', { ...good, name: 'x'.repeat(101) }, 'name must have at most 100 characters'],
  ['a dialect that nobody speaks', { ...good, dialect: 'canary' }, 'dialect must be one of manifest, mcp, openapi'],
  [
    'an address without TLS',
    { ...good, address: 'http://canary.example.com' },
    'address is not usable. The URL must start with https://.',
  ],
  [
    'a password in the address',
    { ...good, address: 'https://canary:canary@example.com' },
    'address is not usable. The URL must not contain a user name or password.',
  ],
  [
    'a fragment that is no server',
    { ...open, address: 'https://example.com/api.json#canary' },
    'address is not usable. The URL must include the protocol (https://).',
  ],
  ['another sign-in', { ...good, authType: 'password' }, 'authType must be one of none, bearer, oauth2'],
  ['no word on where tokens come from', { ...good, tokenHelp: undefined }, 'tokenHelp is missing. Say in a sentence'],
  ['a token that it does not need', { ...open, token: 'canary' }, 'token is only for an authType of bearer'],
  ['a token with a space', { ...good, token: 'canary canary' }, 'token must be 1 to 8192 visible characters'],
  ['a long note', { ...good, notes: 'x'.repeat(1001) }, 'notes must have at most 1000 characters'],
  ['many tags', { ...good, tags: Array(11).fill('x') }, 'tags must have at most 10 items'],
]

for (const [what, file, problem] of wrong)
  test(`an entry with ${what} is an error that names its file and quotes no value`, (t) => {
    const folder = entries(t, { 'bad.json': file })
    const [found = '', ...more] = problemsIn(t, () => readCatalogue([folder]))
    t.true(found.includes(join(folder, 'bad.json')), found)
    t.true(found.includes(problem), found)
    t.false(found.includes('canary'), found)
    t.deepEqual(more, [])
  })

test('every problem of every folder is said at once', (t) => {
  const [ours, more] = [entries(t, { 'Bad name.json': good, 'a.json': 4711 }), entries(t, { 'b.json': 'null' })]
  const missing = join(ours, 'nowhere')
  const problems = problemsIn(t, () => readCatalogue([ours, missing, more]))
  t.is(problems.length, 4)
  t.true(problems.some((one) => one.includes(`${missing} cannot be read (ENOENT)`)))
})

test('two entries of one name, and more entries than a search can read, are refused', (t) => {
  const [ours, more] = [entries(t, { 'a.json': good }), entries(t, { 'a.json': open })]
  t.deepEqual(
    problemsIn(t, () => readCatalogue([ours, more])),
    [`${join(more, 'a.json')}: ${join(ours, 'a.json')} has the same name. Rename one of them`],
  )
  const many = (prefix: string, count: number) =>
    entries(t, Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}.json`, open])))
  const half = many('a', 500)
  t.is(readCatalogue([half, many('b', 500)]).length, 1000)
  t.regex(problemsIn(t, () => readCatalogue([half, many('b', 501)]))[0] ?? '', /has 1001 entries, and at most 1000/)
  t.regex(problemsIn(t, () => readCatalogue([many('c', 1001)]))[0] ?? '', /has 1001 JSON files/)
})
