import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { versionsForFile, versionsOf, type Stage } from './open-versions.ts'

/* What deliveries are judged by has a version that differs after every change (`delivery_versions`). */

const open = versionsForFile(test)

type Changes = [what: string, change: (stage: Stage) => Promise<unknown>][]

/** Makes one change after the other, and names those that did not change exactly these agents' versions. */
async function wrongOf(stage: Stage, changes: Changes, expected: boolean[]): Promise<string[]> {
  const wrong: string[] = []
  for (const [what, change] of changes) {
    const before = await versionsOf(stage)
    await change(stage)
    const after = await versionsOf(stage)
    const changed = after.map((one, index) => one?.version !== before[index]?.version)
    if (String(changed) !== String(expected)) wrong.push(`${what}: ${changed.join()}`)
  }
  return wrong
}

const now = () => new Date()

const ofAgent: Changes = [
  ['trigger', ({ change }) => change({ trigger: 'manual' })],
  ['trigger again', ({ change }) => change({ trigger: 'webhook' })],
  ['proof', ({ change }) => change({ webhookProof: 'github' })],
  ['secret with an overlap', ({ rotate }) => rotate(60)],
  ['secret without an overlap', ({ rotate }) => rotate(0)],
  ['schema', ({ change }) => change({ webhookSchema: [{ name: 'title', type: 'string' }] })],
  ['action override', ({ change }) => change({ allowActionOverride: true })],
  ['cap', ({ change }) => change({ creditsPerMonth: 5 })],
  ['cap reached', ({ used, ids: [id = ''] }) => used(id, 5)],
  ['cap raised', ({ change }) => change({ creditsPerMonth: 6 })],
  ['paused', ({ pause }) => pause()],
  ['resumed', ({ resume }) => resume()],
  ['moved', ({ move, workspaceId }) => move({ workspaceId })],
  ['moved back', ({ move }) => move({})],
  ['deleted', ({ remove }) => remove()],
]

const ofAccount: Changes = [
  ['tier', ({ account }) => account({ tier: 'pro' })],
  ['given tier', ({ account }) => account({ givenTier: 'team' })],
  ['limits', ({ account }) => account({ limits: { tokensPerMonth: 5 } })],
  ['past due', ({ account }) => account({ subscriptionStatus: 'past_due' })],
  ['end of the paid period', ({ account }) => account({ currentPeriodEnd: new Date('2100-01-01') })],
  ['month granted', ({ account }) => account({ grantedPeriod: 'another' })],
  ['balance of 0', ({ account }) => account({ balance: 0 })],
  ['balance of 1', ({ account }) => account({ balance: 1 })],
  ['debt', ({ account }) => account({ balance: -1 })],
  ['balance of 100', ({ account }) => account({ balance: 100 })],
  ['cap reached', ({ account, used, ownerId }) => used(ownerId, 5).then(() => account({ creditsPerMonth: 5 }))],
  ['cap raised', ({ account }) => account({ creditsPerMonth: 6 })],
  ['clock', ({ account }) => account({ clockSeconds: 1 })],
  ['suspended', ({ user }) => user({ suspendedAt: now(), suspensionReason: 'For trying it' })],
  ['lifted', ({ user }) => user({ suspendedAt: null, suspensionReason: null })],
  ['address verified', ({ user }) => user({ emailVerifiedAt: now() })],
  ['address changed', ({ user }) => user({ emailVerifiedAt: null })],
  ['made an admin', ({ user }) => user({ admin: true })],
  [
    'deletion requested',
    ({ database, ownerId }) =>
      database('deletions').insert({ ownerId, requestedAt: now(), dueAt: now(), nextAt: new Date('2100-01-01') }),
  ],
  ['deletion withdrawn', ({ database, ownerId }) => database('deletions').where({ ownerId }).delete()],
]

const ofWorkspace: Changes = [
  ['cap', ({ workspace }) => workspace({ creditsPerMonth: 5 })],
  ['cap reached', ({ usedByWorkspace }) => usedByWorkspace(5)],
  ['cap raised', ({ workspace }) => workspace({ creditsPerMonth: 6 })],
  ['payer', ({ workspace, otherId }) => workspace({ payerId: otherId })],
  ['deleted', ({ workspace }) => workspace({ deletedAt: now() })],
]

test('a change of an agent changes its own version, and no other', async (t) => {
  t.deepEqual(await wrongOf(await open(t), ofAgent, [true, false, false]), [])
})

test('a change of an account changes the versions of all that it pays for, and no others', async (t) => {
  t.deepEqual(await wrongOf(await open(t), ofAccount, [true, true, false]), [])
})

test('a change of a workspace changes the versions of its agents, and no others', async (t) => {
  t.deepEqual(await wrongOf(await open(t), ofWorkspace, [false, true, false]), [])
})

test('credits that have expired do not count, before they are taken from the balance', async (t) => {
  const stage = await open(t)
  const { database, ownerId } = stage
  const expiresAt = new Date(Date.now() + 86_400_000)
  const grant = {
    id: newId(),
    ownerId,
    createdAt: now(),
    expiresAt,
    credits: 5,
    remaining: 5,
    priority: 0,
    kind: 'promotion',
  }
  await database('credit_grants').insert(grant)
  const grants = database('credit_grants').where({ ownerId })
  await stage.account({ balance: 5 })
  const before = await versionsOf(stage)
  const versionsAt = async (days: number) => versionsOf(stage, new Date(Date.now() + days * 86_400_000))
  t.deepEqual(await versionsAt(0.9), before)
  t.notDeepEqual(await versionsAt(1.1), before)
  await grants.clone().update({ remaining: 4 }).where({ id: grant.id })
  t.deepEqual(await versionsAt(1.1), before, 'one credit is left')
})

test('amounts that allow as much leave the versions equal', async (t) => {
  const equal: Changes = [
    ['balance of 99', ({ account }) => account({ balance: 99 })],
    ['balance of 1', ({ account }) => account({ balance: 1 })],
    ['use below the cap', ({ used, ownerId }) => used(ownerId, 4)],
    ['use of the workspace', ({ usedByWorkspace }) => usedByWorkspace(4)],
    ['a payment by credit', ({ account }) => account({ creditCents: 5 })],
  ]
  const stage = await open(t)
  await stage.account({ balance: 100, creditsPerMonth: 5 })
  await stage.workspace({ creditsPerMonth: 5 })
  t.deepEqual(await wrongOf(stage, equal, [false, false, false]), [])
})

test('the tokens of the month are those of the account that pays, and unknown agents have no version', async (t) => {
  const stage = await open(t)
  await stage.used(stage.ownerId, 0, 7)
  t.deepEqual(
    (await versionsOf(stage)).map((one) => one?.tokens),
    [7, 7, 0],
  )
  t.deepEqual(await versionsOf({ ...stage, ids: [newId()] }), [undefined])
})
