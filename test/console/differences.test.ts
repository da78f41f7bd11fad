import test from 'ava'
import type { Api } from '../../console/api/client.ts'
import { byTool, checkedInWords, hostNames, hostsIn, placeIn } from '../../console/screens/sites/changes/differences.ts'

type Difference = Api['ManifestDifference']

const at = (path: string, fields: Partial<Difference> = {}): Difference => ({
  path,
  kind: 'changed',
  class: 'text',
  message: 'Some text has changed.',
  ...fields,
})

const names = ['issues', 'issues.create', 'gone']

const places = [
  ['server.url', undefined, 'server.url'],
  ['tools.issues', 'issues', ''],
  ['tools.issues.description', 'issues', 'description'],
  ['tools.issues.create.effect', 'issues.create', 'effect'],
  ['tools.issues.create.input_schema.text', 'issues.create', 'arguments.text'],
  ['tools.issues.create.input_schema.properties.text.type', 'issues.create', 'arguments.text.type'],
  ['tools.issues.create.input_schema', 'issues.create', 'arguments'],
  // A tool that is not in use: it was added, or removed since.
  ['tools.new.tool', 'new.tool', ''],
  ['tools.old.tool.input_schema.text', 'old.tool', 'arguments.text'],
  ['description', undefined, 'description'],
] as const

for (const [path, tool, place] of places) {
  test(`the difference at ${path} belongs to ${tool ?? 'the site'}, at "${place}"`, (t) => {
    const difference = at(path)
    t.is(byTool([difference], names)[0]?.tool, tool)
    t.is(placeIn(difference, tool), place)
  })
}

test('the differences of a tool are together, and its gravest class counts', (t) => {
  const differences = [
    at('tools.gone', { class: 'breaking' }),
    at('tools.issues.scope', { class: 'new_scope' }),
    at('tools.issues.description'),
    at('version'),
  ]
  t.deepEqual(
    byTool(differences, names).map(({ tool, class: found, differences: ofTool }) => [tool, found, ofTool.length]),
    [
      ['gone', 'breaking', 1],
      ['issues', 'new_scope', 2],
      [undefined, 'text', 1],
    ],
  )
})

test('only hosts that get calls or logins anew have to be trusted', (t) => {
  const moved = (before: string | undefined, after: string | undefined) =>
    at('server.url', { class: 'changed_address', ...(before && { before }), ...(after && { after }) })
  t.deepEqual(hostsIn([moved('https://a.example/1', 'https://a.example/2')]), [])
  t.deepEqual(
    hostsIn([
      moved('https://a.example', 'https://b.example/x'),
      moved(undefined, 'https://b.example/revoke'),
      moved('https://a.example', 'https://a.example:8443'),
      moved('https://a.example', undefined),
      at('auth.issuer', { class: 'changed_address', after: 'no address' }),
      at('description', { after: 'https://c.example' }),
    ]),
    ['a.example:8443', 'b.example'],
  )
  t.deepEqual(hostNames(['b.example', 'a.example:8443']), ['b.example', 'b.example:443', 'a.example:8443', 'a.example'])
})

test('what a check found is told in a sentence', (t) => {
  t.is(checkedInWords({ status: 'none', differences: [] }), 'The site has not changed.')
  t.regex(checkedInWords({ status: 'adopted', differences: [at('version')] }), /\(1 difference\).*in use/)
  t.regex(checkedInWords({ status: 'pending', differences: [at('a'), at('b')] }), /\(2 differences\).*waits/)
})
