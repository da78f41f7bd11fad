// @promise site-owners
import { readFileSync } from 'node:fs'
import test from 'ava'
import { usage } from '../../check-site/arguments.ts'
import { challengeOf } from '../../check-site/authorize-checks.ts'
import { groups } from '../../check-site/check-site.ts'
import { parseManifest } from '../../src/sites/dialects/manifest/parse-manifest.ts'
import { argumentProblems } from '../../src/sites/tool-arguments.ts'

const read = (name: string): string => readFileSync(new URL(`../../docs/sites/${name}.md`, import.meta.url), 'utf8')
const checking = read('check')
/** The pages with requests and answers to copy, in the order in which a site owner reads them. */
const page = ['manifest', 'tool-calls', 'oauth'].map(read).join('\n') + checking
const blocks = (kind: string): string[] =>
  [...page.matchAll(/^```(.+)\n([^]*?)^```$/gm)].flatMap(([, name, text]) => (name === kind ? [text ?? ''] : []))

/** A request or an answer: its first line, its headers in lower case, its body. */
function parts(http: string) {
  const [head = '', ...body] = http.split('\n\n')
  const [first = '', ...headers] = head.split('\n')
  const named = headers.map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [])
  return {
    first,
    headers: Object.fromEntries(named.map(([n = '', v = '']) => [n.toLowerCase(), v])),
    body: body.join('\n\n'),
  }
}

const [manifestText = ''] = blocks('json manifest')
const requests = blocks('http request').map(parts)
const answers = blocks('http answer').map(parts)
const form = (body: string) => Object.fromEntries(new URLSearchParams(body.trim()))

test('the manifest for site owners to copy is one that the platform takes', (t) => {
  const manifest = parseManifest(Buffer.from(manifestText))
  t.is(manifest.tools.length, 2)
  t.true(manifest.tools.every(({ scope, effect }) => scope !== undefined && effect !== undefined))
  const bearer = { ...manifest, auth: { type: 'bearer' } }
  t.notThrows(() => parseManifest(Buffer.from(JSON.stringify(bearer))))
  const call = requests.find(({ first }) => first.includes('/tools/'))
  const folder = new URL(manifest.server.url).pathname
  const tool = manifest.tools.find(({ name }) => call?.first === `POST ${folder}/tools/${name} HTTP/1.1`)
  t.deepEqual(argumentProblems(tool?.input_schema, JSON.parse(call?.body ?? '')), [], 'the call in the page fits')
})

test('every answer to copy is one that a site may give', (t) => {
  t.deepEqual(
    answers.map(({ first }) => first.split(' ')[1]),
    ['200', '401', '403', '400', '429', '303', '200', '400'],
  )
  for (const { first, headers, body } of answers.filter(({ headers }) => !headers['location'])) {
    const json = JSON.parse(body) as { error?: unknown }
    t.is(headers['content-type'], 'application/json')
    t.is(typeof json.error, first.includes(' 200 ') ? 'undefined' : 'string')
    if (first.includes(' 429 ')) t.regex(headers['retry-after'] ?? '', /^\d+$/)
    if (first.includes(' 401 ')) t.regex(headers['www-authenticate'] ?? '', /^Bearer/)
  }
})

test('the requests of OAuth belong together', (t) => {
  const { auth } = JSON.parse(manifestText) as { auth: Record<string, string> }
  const [authorize, exchange, refresh] = requests.filter(({ first }) => first.includes('/oauth/'))
  const asked = Object.fromEntries(
    new URL(authorize?.first.split(' ')[1] ?? '', auth['authorization_url']).searchParams,
  )
  const back = new URL(answers.find(({ headers }) => headers['location'])?.headers['location'] ?? '')
  const sent = form(exchange?.body ?? '')
  t.is(asked['code_challenge'], challengeOf(sent['code_verifier'] ?? ''))
  t.is(back.searchParams.get('state'), asked['state'] ?? '')
  t.is(back.searchParams.get('iss'), auth['issuer'] ?? '')
  t.is(back.searchParams.get('code'), sent['code'] ?? '')
  t.is(sent['redirect_uri'], asked['redirect_uri'])
  const tokens = answers.map(({ body }) => body).find((body) => body.includes('access_token')) ?? ''
  t.is(form(refresh?.body ?? '')['refresh_token'], (JSON.parse(tokens) as { refresh_token: string }).refresh_token)
})

test('the page and the usage of the checker name the same options', (t) => {
  const options = (text: string) => [...new Set(text.match(/--[a-z][a-z-]+/g))].toSorted()
  t.deepEqual(options(checking), options(usage))
})

test('the report in the page says what the checker says', (t) => {
  const checks = new Map(groups.flatMap(({ checks }) => checks.map((check) => [check.id, check])))
  const [report = ''] = blocks('text report')
  const shown = [...report.matchAll(/^ {2}\w+ +(.+) {2}\[(.+)\]$/gm)]
  t.is(shown.length, 4)
  const [, end = ''] = report.split('\nNot checked\n')
  const unchecked = [...end.matchAll(/^ {10}(.+)$/gm)].flatMap(([, ids = '']) => ids.split(', '))
  t.is(unchecked.length, 3)
  t.true(unchecked.every((id) => checks.has(id)))
  for (const [, requirement, id] of shown) t.is(checks.get(id ?? '')?.requirement, requirement)
  for (const [, fix, section] of report.matchAll(/Fix: (.+) \((.+)\)$/gm)) {
    t.true([...checks.values()].some((check) => check.fix === fix && check.section === section))
  }
})
