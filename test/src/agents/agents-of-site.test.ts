import test from 'ava'
import type { Database } from '../../../src/database/database.ts'
import { newOwner } from '../../helpers/owner.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { looksAt } from '../database/looks.ts'

/** Of this file's own: what its queries look at is counted. */
const platformOf = forWholeFile(test, 'agents of a site', (t) => startPlatform(t))

const copies = `
  insert into agents
  select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).*
    from agents a, generate_series(1, :count::int) where a.id = :agentId`

/** Gives each of the owner's agents that do not have it the site. */
const choices = `
  insert into agent_sites (agent_id, vault_entry_id, position)
  select id, :vaultEntryId, 0 from agents where owner_id = :ownerId
   on conflict do nothing`

/** Many agents like this one, and those that use a site if one is given. */
async function many(database: Database, agent: { id: string; ownerId: string }, count: number, vaultEntryId?: string) {
  await database.raw(copies, { count, agentId: agent.id })
  if (vaultEntryId !== undefined) await database.raw(choices, { vaultEntryId, ownerId: agent.ownerId })
  await database.raw('analyze agents, agent_sites')
}

test.serial('the agents of a site are found without reading the others, however many there are', async (t) => {
  const platform = await platformOf()
  const { database, agents, vault } = platform.services
  const [owner, stranger] = [await newOwner(t, platform, 'enterprise'), await newOwner(t, platform, 'enterprise')]
  const theirs = await stranger.site()
  await many(database, await stranger.agent(), 3000, theirs.vaultEntryId)
  const { vaultEntryId } = await owner.site()
  for (const name of ['First', 'Second']) await owner.agent({ name, sites: [{ vaultEntryId }] })
  const other = await owner.agent()
  await many(database, other, 3000)
  const list = async () => (await agents.list(other.ownerId, { vaultEntryId, limit: 50 })).items.map(({ name }) => name)
  t.deepEqual(await list(), ['Second', 'First'])
  for (const table of ['agents', 'agent_sites']) t.true((await looksAt(database, table, list)) < 50, table)
  const counted = () => vault.agentCountsOf([vaultEntryId, theirs.vaultEntryId])
  const counts = await counted()
  t.deepEqual([counts.get(vaultEntryId), counts.get(theirs.vaultEntryId)], [2, 100])
  t.true((await looksAt(database, 'agent_sites', counted)) <= 102 * 2)
})
