import test, { type ExecutionContext } from 'ava'
import type { ContactsSite } from '../../examples/sites/contacts/server.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, happened, start, waiting } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { isGapless, measured, requestsOf } from './record.ts'
import { callDirectly, historyOf, openOwner, refreshesAt, toolName, untilExpired, type Entry } from './refresh-stage.ts'
import { callersOf, callsOf, waitsOf } from './shared-limit.ts'
import { connected, openStage, type Stage } from './stage.ts'

const callsPerAgent = 25
const all = 2 * callsPerAgent
/** More than the tests of refreshes make; the others have most of it taken. */
const limit = 300

/** An API beside the one in this process, and two workers, for what has to hold over all of them together. */
const world = forWholeFile(test, 'several-processes', async (t) => {
  const sites = await startSites(t)
  const env = { RUN_TOOL_CALLS: '60', OUTGOING_PER_MINUTE: String(limit) }
  const stage = await openStage(t, { sites, contacts: {}, allow: sites.allow, env })
  const [api] = await Promise.all([stage.startApi(), stage.startWorker(), stage.startWorker()])
  return { stage, api }
})

/** For how many seconds the calls of this test's agents count, each from its end: null while it is under way. */
async function countedFor({ platform }: Stage, origin: string): Promise<(number | null)[]> {
  const { rows } = await platform.services.database.raw<{ rows: { seconds: number | null }[] }>(
    `select extract(epoch from free_at - ended_at)::float8 as seconds from outgoing_slots
       where host = ? and share <> 'others' and (ended_at is null or ended_at >= taken_at)`,
    [new URL(origin).host],
  )
  return rows.map(({ seconds }) => seconds)
}

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

// @promise refresh
test('fifty calls at the same instant over two worker processes refresh a token once, and all are good', async (t) => {
  const { stage, api } = await world()
  const { contacts } = stage
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

/** Takes so many of what the host takes in a minute, as if others had called it: for so many seconds from now. */
const occupy = ({ platform }: Stage, origin: string, slots: number, seconds: number) =>
  platform.services.database.raw(
    `insert into outgoing_slots (id, host, share, taken_at, ended_at, free_at)
       select gen_random_uuid(), ?, 'others', now(), now(), now() + make_interval(secs => ?) from generate_series(1, ?)`,
    [new URL(origin).host, seconds, slots],
  )

// A whole minute and the real numbers, 3 processes x 40 calls, take twelve minutes: npm run long -- outgoing-limit
// @promise host-limit
test('two agents over two worker processes share what is left of a host, and their waits are on the timelines', async (t) => {
  const { stage } = await world()
  const { badTools } = stage.sites
  const { someone, sites } = await connected(stage)
  const [fast, slow] = await Promise.all(
    [callsOf(0, 12), callsOf(1, 5)].map((prompt) => agentOf(someone, { systemPrompt: prompt, sites })),
  )
  await occupy(stage, badTools.origin, limit - 10, 3600)
  // Who waits asks again at the time that it was told: slots cannot be freed any sooner than was said. Half a minute,
  // because both have to ask before: with fifteen seconds, a busy machine let the second one come too late to wait.
  const freeAt = Date.now() + 30_000
  await occupy(stage, badTools.origin, 10, 30)
  // The first one asks for more, and before the second one.
  const first = (await start(someone, fast!)).body.id
  await waiting(someone, first)
  const second = (await start(someone, slow!)).body.id
  await happened(someone, second, 'wait.started')
  t.true(Date.now() < freeAt, 'both waited before anything was free')
  t.is((await ended(someone, second, 60)).status, 'completed')

  const half = () => requestsOf(stage, first).length >= 5 || undefined
  await eventually(20, 'the first agent has had its half, too', half)
  const seen = [requestsOf(stage, first), requestsOf(stage, second)]
  t.deepEqual(
    seen.map(({ length }) => length),
    [5, 5],
  )
  t.is(new Set(seen.flat().map(({ idempotencyKey }) => idempotencyKey)).size, 10, 'each call came once')
  t.true(seen.flat().every(({ at }) => Date.parse(at) >= freeAt))
  const counted = await eventually(10, 'every call has let go of its slot', async () => {
    const seconds = await countedFor(stage, badTools.origin)
    return seconds.includes(null) ? undefined : seconds
  })
  t.deepEqual(counted, Array(10).fill(60), 'each of them counts for a minute')
  // Which of the two gets how many is for Temporal to say.
  t.is((await callersOf(t, [first, second])).length, 2, 'both processes asked')
  t.like(await waiting(someone, first), { waitingCause: 'rate_limit', toolCalls: 12 })
  for (const [index, runId] of [first, second].entries()) {
    const { started, ended: over } = await waitsOf(someone, runId)
    t.like(started[0], { cause: 'rate_limit', calls: index === 0 ? 12 : 5 })
    t.is(started.length - over.length, index === 0 ? 1 : 0)
  }
})
