import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import type { ContactsSite } from '../../examples/sites/contacts/server.ts'
import { call } from '../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../helpers/connect.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { isGapless, measured } from './record.ts'
import { callDirectly, historyOf, openOwner, refreshesAt, toolName, untilExpired, type Entry } from './refresh-stage.ts'
import { callersOf } from './shared-limit.ts'
import { openStage } from './stage.ts'

const callsPerAgent = 25
const all = 2 * callsPerAgent

/** Each call is another one: identical ones in a row would end the run. */
const systemPrompt = Array.from({ length: callsPerAgent }, (_, n) => `[[call ${toolName} {"text":"${n}"}]]`).join('')

/** Holds the next answer with tokens until the site has seen what it is to see, or for ten seconds. */
function holdUntil(contacts: ContactsSite, fits: () => boolean): void {
  contacts.intercept(async (_facts, _response, proceed) => {
    await proceed()
    await eventually(10, 'the others have come', () => fits() || undefined).catch(() => undefined)
  })
}

/** What the site has seen since, how each tool call was answered and how many refreshes there were. */
function watch(contacts: ContactsSite) {
  const [calls, refreshes] = [contacts.requests().length, refreshesAt(contacts).length]
  const answered = () => contacts.requests().slice(calls)
  return {
    refreshes: () => refreshesAt(contacts).length - refreshes,
    calls: () => answered().length,
    answers: (status: number) => answered().filter((request) => request.status === status).length,
  }
}

/** Two agents make all their calls at once; every call has to succeed. Says how often the timelines tell of new tokens. */
async function rush(t: ExecutionContext, { someone, entryId }: Entry) {
  const sites = [{ vaultEntryId: entryId }]
  const agents = await Promise.all([1, 2].map(() => agentOf(someone, { systemPrompt, sites })))
  const began = Date.now()
  const runs = await Promise.all(agents.map(async (agent) => (await start(someone, agent)).body))
  let notes = 0
  for (const { id } of runs) {
    t.is((await ended(someone, id, 60)).status, 'completed')
    const timeline = await timelineOf(someone, id)
    t.true(isGapless(timeline.map(({ number }) => number)))
    const outcomes = dataOf(timeline, 'tool.finished').map(({ status }) => status)
    t.deepEqual(
      outcomes,
      Array.from({ length: callsPerAgent }, () => 'succeeded'),
    )
    notes += dataOf(timeline, 'credential.refreshed').length
  }
  measured(t, `${all} calls over two worker processes in ${Date.now() - began} ms; ${notes} waited for new tokens`)
  const callers = await callersOf(
    t,
    runs.map(({ id }) => id),
  )
  t.is(callers.length, 2, 'both processes made calls')
  return { notes }
}

test('fifty calls at the same instant over two worker processes refresh a token once, and all are good', async (t) => {
  const stage = await openStage(t, { contacts: {}, env: { RUN_TOOL_CALLS: '50' } })
  const { contacts } = stage
  const [api] = await Promise.all([stage.startApi(), stage.startWorker(), stage.startWorker()])
  const owner = await openOwner(stage, 1)
  await untilExpired(stage, [owner])

  // Expired by time: the token is refreshed before anything is sent. The answer is late, so that all come meanwhile.
  const expired = watch(contacts)
  const heldFrom = Date.now()
  holdUntil(contacts, () => Date.now() - heldFrom > 3000)
  t.true((await rush(t, owner)).notes > 0, 'the timelines say of calls that they waited for new tokens')
  t.is(expired.refreshes(), 1)
  t.deepEqual([expired.calls(), expired.answers(200)], [all, all])
  t.deepEqual(await historyOf(owner), ['expiry refreshed'])

  // Not accepted any more: every call is answered 401 before the first one gets new tokens.
  contacts.expireAccessTokens()
  const refused = watch(contacts)
  holdUntil(contacts, () => refused.answers(401) >= all)
  t.true((await rush(t, owner)).notes > 0)
  t.is(refused.refreshes(), 1)
  t.deepEqual([refused.calls(), refused.answers(401), refused.answers(200)], [2 * all, all, all])
  t.deepEqual(await historyOf(owner), ['expiry refreshed', 'unauthorized refreshed'])

  // Direct calls at two API processes.
  contacts.expireAccessTokens()
  const direct = watch(contacts)
  holdUntil(contacts, () => direct.answers(401) >= 30)
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => callDirectly(owner, n % 2 === 0 ? api.url : undefined)),
  )
  t.true(answers.every(({ status }) => status === 200))
  t.is(direct.refreshes(), 1)
  t.deepEqual([direct.calls(), direct.answers(401), direct.answers(200)], [60, 30, 30])
  t.is((await historyOf(owner)).length, 3)
  t.false(refreshesAt(contacts).some(({ consumedBefore }) => consumedBefore))
})

test('two hundred rotations in a row lose no grant and present no refresh token twice', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  const platform = await startPlatform(t, { sites, env })
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const rotations = 200
  const began = Date.now()
  for (let number = 0; number < rotations; number += 1) {
    contacts.expireAccessTokens()
    const { body } = await callDirectly({ someone, entryId })
    if (!Array.isArray(body.result['contacts'])) t.fail(`rotation ${number}: ${JSON.stringify(body)}`)
  }
  const took = Date.now() - began
  const refreshes = refreshesAt(contacts)
  t.is(refreshes.length, rotations)
  t.is(new Set(refreshes.map(({ refreshToken }) => refreshToken)).size, rotations)
  t.false(refreshes.some(({ consumedBefore, status }) => consumedBefore || status !== 200))
  t.is(contacts.requests().length, 2 * rotations)
  const { body: entry } = await call(someone, vault.getVaultEntry, { params: { entryId } })
  t.is(entry.status, 'connected')

  const outcomes: (string | null)[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    const { body } = await call(someone, vault.listRefreshes, { params: { entryId }, query })
    outcomes.push(...body.items.map(({ outcome }) => outcome))
    cursor = body.nextCursor
  }
  t.is(outcomes.length, rotations)
  t.true(outcomes.every((outcome) => outcome === 'refreshed'))
  measured(
    t,
    `${rotations} rotations in ${took} ms, ${(took / rotations).toFixed(1)} ms each; ${outcomes.length} on record`,
  )
})
