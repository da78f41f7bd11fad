// @promise chat-codes codes
import test from 'ava'
import type { AnyRoute } from '../../api/route/route.ts'
import { codesOf } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { Answer } from '../helpers/client.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { provokersByName } from './provoke-by-name.ts'
import { createProvoke } from './provoke.ts'
import { createRecorder } from './recorder.ts'
import { createSpender } from './spender.ts'
import { openStage } from './stage.ts'

const outcomesOf = (route: AnyRoute): (ErrorCode | 'done')[] => [...codesOf(route), 'done']

/** Provokes everything that is documented, and tells what came of it otherwise. */
const provoked = forWholeFile(test, 'every route and every code', async (t) => {
  const stage = await openStage(t)
  const recorder = createRecorder()
  const byCode = await createProvoke(t, stage, recorder)
  const byName = provokersByName(t, stage, recorder, createSpender(stage.platform))
  const problems: string[] = []
  for (const route of routes) {
    for (const outcome of outcomesOf(route)) {
      const provoke = byName[route.name]?.[outcome] ?? (outcome === 'done' ? undefined : byCode[outcome])
      const seen = provoke ? await provoke(route).then(outcomeOf, String) : 'nothing provokes it'
      if (seen !== outcome) problems.push(`${route.name} ${outcome}: ${seen}`)
    }
  }
  return { stage, recorder, byName, problems }
})

// The client throws on an answer that is not declared, so what is seen here is exactly what is documented.
// @promise payloads
test('every route succeeds, and answers with every code that it documents and no other', async (t) => {
  const { recorder, byName, problems } = await provoked()
  t.deepEqual(problems, [])
  for (const route of routes) t.deepEqual(recorder.missing(route), [], route.name)
  t.deepEqual(undocumented(byName), [])
  const pairs = routes.reduce((sum, route) => sum + codesOf(route).length, 0)
  t.log(`${routes.length} routes, ${pairs} pairs of route and code, ${recorder.texts.length} requests`)
})

const outcomeOf = (answer: Answer<unknown>): string => (answer.status < 400 ? 'done' : answer.failure.code)

/** What is provoked here although no route documents it. */
function undocumented(table: Record<string, object>): string[] {
  const documented = new Set(routes.flatMap((route) => outcomesOf(route).map((outcome) => `${route.name} ${outcome}`)))
  const provoked = Object.entries(table).flatMap(([name, row]) =>
    Object.keys(row).map((outcome) => `${name} ${outcome}`),
  )
  return provoked.filter((pair) => !documented.has(pair))
}

/** Columns that no answer may hold, in whatever form they are stored. */
const secretColumns: [string, string][] = [
  ['users', 'password_hash'],
  ['refresh_tokens', 'token_hash'],
  ['api_keys', 'key_hash'],
  ['sessions', 'token_hash'],
  ['vault_entries', 'credential'],
  ['agents', 'webhook_secret'],
  ['payment_methods', 'reference'],
  ['oauth_flows', 'ticket_hash'],
  ['oauth_flows', 'state_hash'],
  ['oauth_flows', 'binding_hash'],
  ['oauth_flows', 'verifier'],
  ['second_factors', 'secret'],
  ['recovery_codes', 'code_hash'],
]

test('no answer holds a hash, a sealed secret or a credential', async (t) => {
  const { stage, recorder } = await provoked()
  const secrets = [stage.owner.password, 'any-token', 'another-token']
  for (const [from, column] of secretColumns) {
    const { rows } = await stage.platform.services.database.raw<{ rows: { value: string }[] }>(
      'select distinct ?? as value from ?? where ?? is not null',
      [column, from, column],
    )
    t.true(rows.length > 0, `${from}.${column}`)
    secrets.push(...rows.map(({ value }) => value))
  }
  t.true(recorder.texts.length > routes.length)
  const telling = recorder.texts.filter((text) => secrets.some((secret) => text.includes(secret)))
  t.deepEqual(telling, [])
  for (const { key } of keysIn(recorder.texts))
    t.is(recorder.texts.filter((text) => text.includes(key)).length, 1, 'an API key or a session token is shown once')
})

const keysIn = (texts: string[]): { key: string }[] =>
  texts.flatMap((text) => [...text.matchAll(/sy_(?:key|session)_[\w-]{43}/g)].map(([key]) => ({ key })))
