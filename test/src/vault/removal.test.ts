// @promise removals
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { untilBlockedBy } from '../../helpers/hold.ts'
import {
  agentOf,
  connectBadTools,
  connectTracker,
  customer,
  ended,
  timelineOf,
  type Person,
} from '../../helpers/people.ts'
import { cancel, dataOf, happened, start } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { startSites } from '../../helpers/sites.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const working = sharedPlatform(test)
const sitesOf = forWholeFile(test, 'removal', startSites)

/** Somebody with two sites. */
async function open() {
  const [platform, sites] = [await working(), await sitesOf()]
  const someone = await customer(platform, 'team')
  const [entryId, other] = [await connectTracker(someone, sites), await connectBadTools(someone, sites)]
  const { origin, name } = (await call(someone, vault.getVaultEntry, { params: { entryId } })).body
  return { sites, platform, someone, entryId, other, site: { name, origin, reason: 'removed' } }
}

const remove = (someone: Person, entryId: string, query: { force?: string } = {}) =>
  call(someone, vault.removeFromVault, { params: { entryId }, query })

const exists = async (someone: Person, entryId: string) =>
  (await call(someone, vault.getVaultEntry, { params: { entryId } })).status === 200

const setSites = (someone: Person, agentId: string, sites: { vaultEntryId: string }[]) =>
  call(someone, agents.updateAgent, { params: { agentId }, body: { sites } })

const missingIn = async (someone: Person, runId: string): Promise<unknown[]> =>
  dataOf(await timelineOf(someone, runId), 'step.finished').map((data) => data['missingSites'])

test('a site that agents use is not removed unless that is forced, and the refusal names the agents', async (t) => {
  const { someone, entryId, other } = await open()
  const sites = [{ vaultEntryId: entryId }]
  const one = await agentOf(someone, { name: 'Sorter "A"', sites })
  const two = await agentOf(someone, { name: 'Reporter', sites: [...sites, { vaultEntryId: other }] })
  const deleted = await agentOf(someone, { name: 'Gone', sites })
  await call(someone, agents.deleteAgent, { params: { agentId: deleted.id } })
  for (const query of [{}, { force: 'false' }]) {
    const { failure } = await remove(someone, entryId, query)
    t.like(failure, { code: 'VALIDATION_ERROR', statusCode: 400 })
    t.true(failure.error.startsWith(`2 agents use this site: “Sorter 'A'” (${one.id}), “Reporter” (${two.id}). `))
    t.deepEqual(failure.details, [
      { path: 'force', message: `The agent “Sorter 'A'” (${one.id}) uses this site.` },
      { path: 'force', message: `The agent “Reporter” (${two.id}) uses this site.` },
    ])
  }
  t.is((await remove(someone, entryId, { force: '1' })).failure.code, 'VALIDATION_ERROR')
  t.true(await exists(someone, entryId))

  t.is((await remove(someone, entryId, { force: 'true' })).status, 204)
  t.false(await exists(someone, entryId))
  const { body } = await call(someone, agents.getAgent, { params: { agentId: two.id } })
  t.deepEqual(
    body.sites.map(({ vaultEntryId }) => vaultEntryId),
    [other],
  )
  await setSites(someone, two.id, [])
  t.is((await remove(someone, other)).status, 204, 'nobody uses it any more')
})

test('a run of an agent that has lost a site says so on its timeline and to the model, until the agent is changed', async (t) => {
  const { someone, entryId, other, site } = await open()
  const sites = [{ vaultEntryId: entryId }, { vaultEntryId: other, tools: ['fail'] }]
  const agent = await agentOf(someone, { systemPrompt: '[[say done]]', sites })
  const run = async () => {
    const { id } = (await start(someone, agent)).body
    return ended(someone, id)
  }
  t.deepEqual(new Set(await missingIn(someone, (await run()).id)), new Set([undefined]))
  await remove(someone, entryId, { force: 'true' })
  const lacking = await run()
  t.is(lacking.status, 'completed')
  const missing = await missingIn(someone, lacking.id)
  t.true(missing.length > 0)
  for (const one of missing) t.deepEqual(one, [site], 'every step')
  t.regex(lacking.answer ?? '', new RegExp(`These sites were unavailable: .*${site.origin}.*no longer connected`))

  await setSites(someone, agent.id, [{ vaultEntryId: other }])
  const whole = await run()
  t.deepEqual(new Set(await missingIn(someone, whole.id)), new Set([undefined]))
  t.notRegex(whole.answer ?? '', /without these sites/)
})

test('a run that has begun says from its next step on what was removed meanwhile, and calls it no more', async (t) => {
  const { sites, someone, entryId, other } = await open()
  const { name, origin } = (await call(someone, vault.getVaultEntry, { params: { entryId: other } })).body
  const systemPrompt = '[[call slow_read {"seconds":1}]] [[then]] [[call echo_text {"text":"hello"}]]'
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: other }, { vaultEntryId: entryId }] })
  const { id } = (await start(someone, agent)).body
  const sent = () => sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(id))
  await eventually(20, 'the call is under way', () => sent().length > 0 || undefined)
  await remove(someone, other, { force: 'true' })
  t.is((await ended(someone, id)).status, 'completed')
  t.is(sent().length, 1)
  t.deepEqual((await missingIn(someone, id)).slice(0, 2), [undefined, [{ name, origin, reason: 'removed' }]])
})

test('a site of which no tool may be used is missing, too, unless its agent wants none of them', async (t) => {
  const { platform, someone, other } = await open()
  const agent = await agentOf(someone, { sites: [{ vaultEntryId: other, tools: ['fail'] }] })
  const of = async (tools: string[]) => {
    const json = JSON.stringify(tools)
    await platform.services.database('agentSites').where({ agentId: agent.id }).update({ tools: json })
    const { id } = (await start(someone, agent)).body
    await ended(someone, id)
    return missingIn(someone, id)
  }
  const { origin, name } = (await call(someone, vault.getVaultEntry, { params: { entryId: other } })).body
  t.deepEqual(await of(['gone_since']), [[{ name, origin, reason: 'no_usable_tool' }]])
  t.deepEqual(await of([]), [undefined])
})

test('an agent that takes up a site while that is being removed is named in the refusal, or is refused itself', async (t) => {
  const { platform, someone, entryId } = await open()
  const { database } = platform.services
  const agent = await agentOf(someone)
  // It has named the entry, and not committed yet.
  const trx = await database.transaction()
  await trx('agentSites').insert({ agentId: agent.id, vaultEntryId: entryId, position: 0 })
  const removing = remove(someone, entryId)
  await untilBlockedBy(database, trx)
  await trx.commit()
  t.true((await removing).failure.error.startsWith(`1 agent uses this site: “An agent” (${agent.id}). `))
  await setSites(someone, agent.id, []).then(({ body }) => body)

  // The entry is deleted, and that is not committed yet.
  const deleting = await database.transaction()
  await deleting('vaultEntries').where({ id: entryId }).delete()
  const taking = setSites(someone, agent.id, [{ vaultEntryId: entryId }])
  await untilBlockedBy(database, deleting)
  await deleting.commit()
  t.like((await taking).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'sites' }] })
})

test('an agent that gives a site up while that is removed does not miss it', async (t) => {
  const { platform, someone, entryId } = await open()
  const { database } = platform.services
  const agent = await agentOf(someone, { sites: [{ vaultEntryId: entryId }] })
  const trx = await database.transaction()
  await trx('agentSites').where({ agentId: agent.id }).delete()
  const removing = remove(someone, entryId)
  await untilBlockedBy(database, trx)
  await trx.commit()
  t.is((await removing).status, 204)
  t.deepEqual(await database('agentLostSites').where({ agentId: agent.id }), [])
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'step.finished')
  t.deepEqual(await missingIn(someone, id), [undefined])
  await cancel(someone, id)
})
