import test from 'ava'
import * as adminCredits from '../../api/admin-credits.ts'
import * as audit from '../../api/audit.ts'
import * as billing from '../../api/billing.ts'
import * as statements from '../../api/statements.ts'
import { monthOf } from '../../src/billing/ledger/forecast.ts'
import { later } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, person, type Person } from '../helpers/people.ts'
import { type Platform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { userIdOf, workspaceOf } from '../helpers/workspaces.ts'

const open = sharedPlatform(test, 'idle')

const month = () => monthOf(new Date())

const charge = ({ services }: Platform, agent: { id: string; ownerId: string }, credits: number) =>
  services.database.transaction((trx) =>
    services.billing.credits.chargeStep(trx, {
      ownerId: agent.ownerId,
      agentId: agent.id,
      runId: newId(),
      tokens: 0,
      step: 1,
      credits,
    }),
  )

async function csvOf({ url, token }: Person, path: string) {
  const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}`, Accept: 'text/csv' } })
  return { response, lines: (await response.text()).split('\r\n') }
}

test('the statement of a month is JSON, or CSV in which nothing is calculated, and adds up in both', async (t) => {
  const platform = await open()
  const someone = await customer(platform, 'team')
  const agent = await agentOf(someone, { name: '=HYPERLINK("https://example.com"), run' })
  await charge(platform, agent, 12)
  const { body } = await call(someone, statements.getStatement, { params: { month: month() } })
  const step = body.lines.find(({ kind }) => kind === 'step')
  t.like(step, { credits: -12, entries: 1, agentId: agent.id, agentName: agent.name, workspaceId: null })
  t.is(body.closing, (await call(someone, billing.getBilling)).body.balance)
  const { response, lines } = await csvOf(someone, `/billing/statements/${month()}`)
  t.regex(response.headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
  t.is(response.headers.get('content-disposition'), 'attachment; filename="getStatement.csv"')
  t.regex(response.headers.get('vary') ?? '', /Accept/)
  t.true(lines[0]?.startsWith('kind,credits,entries,agentName,'))
  t.true(lines[1]?.startsWith('opening,0,'))
  t.true(lines.some((line) => line.startsWith(`step,-12,1,"'=HYPERLINK(""https://example.com""), run",${agent.id},`)))
  t.true(lines.at(-2)?.startsWith(`closing,${body.closing},`))
  t.deepEqual((await call(someone, statements.listStatements)).body.items, [{ month: month() }])
})

test('the statement of a run says at which price a step was charged, as JSON and as CSV', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  const runId = (await start(someone, await agentOf(someone))).body.id
  const price = { source: 'the operator', input: 0.25, output: 2 }
  const charged = {
    runId,
    step: 1,
    credits: 3,
    tokens: 0,
    cost: { nanoUsd: 1_200_000, price },
    ownerId: await userIdOf(someone),
  }
  const { database, billing: own } = platform.services
  await database.transaction((trx) => own.credits.chargeStep(trx, charged))
  const { body } = await call(someone, statements.getRunStatement, { params: { runId } })
  t.like(body, { opening: 0, lines: { 0: { step: 1, credits: -3, costUsd: 0.0012, price }, length: 1 }, closing: -3 })
  const { lines } = await csvOf(someone, `/runs/${runId}/statement`)
  t.is(lines[0], 'kind,credits,step,attempt,model,inputTokens,cachedTokens,outputTokens,costUsd,price,held,createdAt')
  t.true(lines[2]?.includes(`,0.0012,"${JSON.stringify(price).replaceAll('"', '""')}",`), lines[2])
})

test('the statement of a workspace has what it has used, and nothing of its owner', async (t) => {
  const platform = await open()
  const someone = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(someone)
  await charge(platform, await agentOf(someone), 5)
  await charge(platform, await agentOf(someone, { workspaceId }), 7)
  const asked = { params: { month: month() }, query: { workspaceId } }
  t.like((await call(someone, statements.getStatement, asked)).body, {
    opening: 0,
    lines: { 0: { kind: 'step', credits: -7 }, length: 1 },
    closing: -7,
  })
})

test('an account can be capped, and its forecast and its cap are shown', async (t) => {
  const platform = await open()
  const someone = await customer(platform)
  await charge(platform, await agentOf(someone), 30)
  const { body } = await call(someone, billing.updateBilling, { body: { creditsPerMonth: 20 } })
  t.like(body, { creditsPerMonth: 20, usage: { month: month(), used: 30, cap: 20 } })
  t.true(body.usage.forecast >= 30)
  t.true(body.balance > 20, 'the balance is what the ledger says')
  const { usage, balance } = (await call(someone, billing.getBilling)).body
  t.like({ usage, balance }, { usage: { used: 30, cap: 20 }, balance: body.balance }, 'and so it is read')
  const lifted = await call(someone, billing.updateBilling, { body: { creditsPerMonth: null } })
  t.is(lifted.body.usage.cap, null)
})

test('an admin gives credits once for each key, and the audit log says to whom and why', async (t) => {
  const platform = await open()
  const admin = await adminOf(platform, 'credits@example.com')
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  const give = (body: { credits: number; expiresAt?: string | null; priority?: number; note: string }, key: string) =>
    call(admin, adminCredits.giveCredits, { params: { userId }, body, headers: { 'idempotency-key': key } })
  const given = { credits: 25, expiresAt: '2999-01-01T00:00:00.000Z', note: 'For the trouble' }
  const [one, two] = await Promise.all([give(given, 'a'), give(given, 'a')])
  t.is(one?.status, 201)
  t.deepEqual(one?.body, two?.body)
  t.like(one?.body, { ownerId: userId, credits: 25, remaining: 25, priority: 0, note: 'For the trouble' })
  const other = await userIdOf(await person(platform))
  const toOther = { params: { userId: other }, body: given, headers: { 'idempotency-key': 'a' } }
  t.like((await call(admin, adminCredits.giveCredits, toOther)).body, { ownerId: other, credits: 25 })
  for (const other of [{ credits: 26 }, { expiresAt: null }, { priority: 1 }, { note: 'Another' }])
    t.is((await give({ ...given, ...other }, 'a')).failure.code, 'VALIDATION_ERROR', JSON.stringify(other))
  t.is((await give({ ...given, expiresAt: '2020-01-01T00:00:00Z' }, 'b')).failure.code, 'VALIDATION_ERROR')
  t.is((await call(someone, billing.getBilling)).body.balance, 225)
  const { items } = (await call(someone, billing.listLedger, { query: { kind: 'promotion' } })).body
  t.deepEqual(
    items.map(({ credits, grantId, note, expiresAt }) => [credits, grantId, note, expiresAt]),
    [[25, one?.body.id, given.note, given.expiresAt]],
  )
  const { lines } = (await call(someone, statements.getStatement, { params: { month: month() } })).body
  t.deepEqual(
    lines.map(({ kind, note, expiresAt }) => [kind, note, expiresAt]),
    [
      ['grant', null, null],
      ['promotion', given.note, given.expiresAt],
    ],
  )
  t.is((await give({ ...given, expiresAt: null }, 'c')).body.expiresAt, null)
  const day = 86_400
  await platform.services
    .database('accounts')
    .where({ ownerId: userId })
    .update({ clockSeconds: 40 * day })
  const over = await give({ ...given, expiresAt: later(new Date(), 20 * day).toISOString() }, 'd')
  t.is(over.failure.code, 'VALIDATION_ERROR', 'by the clock of the account')
  const noted = (await call(admin, audit.listAuditOfAll, { query: { action: 'giveCredits' } })).body.items
  t.true(noted.length > 0)
  t.like(noted[0]?.after, { ownerId: userId, credits: 25, note: 'For the trouble' })
  t.is(
    (await call(someone, adminCredits.giveCredits, { params: { userId }, body: given })).failure.code,
    'ADMIN_REQUIRED',
  )
})
