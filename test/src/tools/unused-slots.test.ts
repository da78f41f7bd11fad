import test, { type ExecutionContext } from 'ava'
import type { CallOutcome } from '../../../src/tools/call-outcome.ts'
import { createSender } from '../../../src/tools/sender.ts'
import type { Sending } from '../../../src/tools/sending.ts'
import { createOutgoingLimit } from '../../../src/tools/outgoing-limit.ts'
import { createLogger } from '../../../src/logger.ts'
import { newId } from '../../../src/ids.ts'
import { eventually } from '../../helpers/eventually.ts'
import { connectBadTools, person } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { briefStandstill } from '../../helpers/standstill.ts'
import { startSites } from '../../helpers/sites.ts'

const platformOf = sharedPlatform(test, 'idle')

/** Sends calls of somebody to a site of this test's own, which answer so. */
async function open(t: ExecutionContext, call: () => Promise<CallOutcome>) {
  const sites = await startSites(t)
  const { services, config, ...platform } = await platformOf()
  const { database, vault } = services
  const someone = await person(platform)
  const entryId = await connectBadTools(someone, sites)
  const { ownerId } = (await database('vault_entries').where({ id: entryId }).first('ownerId')) as { ownerId: string }
  const outgoing = createOutgoingLimit({ database, config })
  const logger = createLogger('silent', 'test')
  const noted: unknown[] = []
  const storedBytes = { note: (...of: unknown[]) => void noted.push(of) }
  const nothing = async () => {}
  async function send(begun: boolean, limit = outgoing, more: Partial<Sending> = {}, onBegin = () => {}) {
    const sender = createSender({
      config,
      logger,
      vault,
      outgoing: limit,
      dialect: { call, abandon: nothing },
      storedBytes,
      metrics: services.metrics,
    })
    const asked = { callId: newId(), ownerId, entryId, tool: 'echo_text', arguments: '{}', idempotencyKey: 'k' }
    const sending = { ...asked, share: ownerId, mayWait: true, refusedGeneration: null, ...more }
    const begin = async () => {
      onBegin()
      return begun
    }
    return sender.send(sending, { begin, onRefused: nothing, onRefreshed: nothing })
  }
  return { send, database, outgoing, ownerId, entryId, noted, host: new URL(sites.badTools.origin).host }
}

test('a call that got its turn and is not to be sent any more leaves its slot to others at once', async (t) => {
  const { send, database, ownerId } = await open(t, () => Promise.reject(new Error('it must not be sent')))
  t.is((await send(false)).kind, 'dropped')
  t.deepEqual(await database('outgoing_slots').where({ share: ownerId }), [])
})

// @promise order once
test('a call is not sent after its process stood still: somebody else may have gone on with it', async (t) => {
  const { maySend, standStill } = briefStandstill(t)
  const sent: boolean[] = []
  const { send, outgoing } = await open(t, async () => {
    sent.push(maySend())
    return { kind: 'unavailable', httpStatus: null, certain: true, text: 'It was not sent.' }
  })
  t.like(await send(true, outgoing, {}, standStill), { kind: 'answered', outcome: { certain: true } })
  t.deepEqual(sent, [false])
})

test('a site that says how long it is away is left alone for so long, and a call keeps its outcome if that cannot be noted', async (t) => {
  const outcome = { kind: 'broken', httpStatus: 503, certain: false, text: 'It is away.', retryAfter: 120 } as const
  const { send, database, outgoing, ownerId, noted, host } = await open(t, () => Promise.resolve(outcome))
  const held = async () =>
    (await database('outgoing_hosts').where({ host }).first('heldUntil', 'heldReason')) as Record<string, unknown>
  const failing = { ...outgoing, hold: () => Promise.reject(new Error('It cannot be noted.')) }
  t.deepEqual(await send(true, failing), { kind: 'answered', outcome })
  t.like(await held(), { heldUntil: null })
  t.deepEqual(await send(true), { kind: 'answered', outcome })
  const { heldUntil, heldReason } = await held()
  t.is(heldReason, 'The site responded with 503.')
  const ms = (heldUntil as Date).getTime() - Date.now()
  t.true(ms > 60_000 && ms <= 120_000)
  t.like(await send(true), { kind: 'held', why: 'held', host })
  const bytes = 'It is away.'.length + '{}'.length
  t.deepEqual(noted, [
    [ownerId, bytes],
    [ownerId, bytes],
  ])
  const slots = await database('outgoing_slots').where({ share: ownerId })
  t.deepEqual(
    slots.map(({ endedAt }) => endedAt !== null),
    [true, true],
    'a slot that was used counts on, from the end of its call',
  )
})

test('a call waits for a turn that comes within its patience, and waits no more once it is given up', async (t) => {
  const outcome = { kind: 'succeeded', httpStatus: 200, text: '{}' } as const
  const { send, database, outgoing, ownerId, host } = await open(t, () => Promise.resolve(outcome))
  const patient = (patienceMs: number, signal?: AbortSignal) =>
    send(true, outgoing, { mayWait: false, patienceMs, ...(signal && { signal }) })
  const waits = () => database('outgoing_waits').where({ share: ownerId })
  await outgoing.hold(host, 1, 'It comes back soon.')
  t.deepEqual(await patient(5000), { kind: 'answered', outcome })
  await outgoing.hold(host, 60, 'It does not.')
  t.like(await patient(5000), { kind: 'held', why: 'held' })
  t.deepEqual(await waits(), [])
  const abort = new AbortController()
  const failed = t.throwsAsync(patient(90_000, abort.signal), { message: 'The answer was given up.' })
  await eventually(10, 'it waits', async () => (await waits()).length || undefined)
  abort.abort(new Error('The answer was given up.'))
  await failed
  t.deepEqual(await waits(), [])
})

const proofs: [outcome: CallOutcome, isAccepted: boolean][] = [
  [{ kind: 'succeeded', httpStatus: 200, text: '{}' }, true],
  [{ kind: 'unread', httpStatus: 200, text: 'No JSON.' }, true],
  [{ kind: 'refused', httpStatus: 403, certain: true, text: 'Not for this user.' }, true],
  [{ kind: 'rejected', httpStatus: 400, certain: false, text: 'No.' }, false],
  [{ kind: 'broken', httpStatus: 500, certain: false, text: 'It failed.' }, false],
]

test('a site that carries a call out, or refuses it to the user, has accepted the token, and nothing else says so', async (t) => {
  let [outcome] = proofs[0]!
  const { send, database, entryId } = await open(t, () => Promise.resolve(outcome))
  const entry = () => database('vault_entries').where({ id: entryId })
  for (const [answer, isAccepted] of proofs) {
    outcome = answer
    await entry().update({ acceptedAt: null })
    t.is((await send(true)).kind, 'answered')
    const { acceptedAt } = (await entry().first('acceptedAt')) as { acceptedAt: Date | null }
    t.is(acceptedAt !== null, isAccepted, answer.text)
  }
})

test('a call that waits and asks again keeps its place before those that asked later', async (t) => {
  const { services, config } = await platformOf()
  const { database } = services
  const limit = createOutgoingLimit({ database, config: { sites: { ...config.sites, callsPerMinute: 1 } } })
  const [host, one, older, younger] = [`${newId()}.example`, newId(), newId(), newId()]
  const ask = async (callId: string) => (await limit.take({ host, share: 'an-agent', callId, mayWait: true })).kind
  t.is(await ask(one), 'granted')
  for (const callId of [older, younger, older]) t.is(await ask(callId), 'later')
  t.like(await database('outgoing_waits').where({ host }).orderBy('askedAt'), [{ callId: older }, { callId: younger }])
})
