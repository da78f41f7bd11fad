import * as agents from '../../../api/agents.ts'
import * as agentRuns from '../../../api/agent-runs.ts'
import * as moves from '../../../api/moves.ts'
import { fieldsOf } from '../../../src/database/row.ts'
import { newId } from '../../../src/ids.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, connectBadTools, customer, person, type Person } from '../../helpers/people.ts'
import { join, userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function movesTable({ platform, sites }: Stage, { ask }: Recorder): Table {
  const { database } = platform.services

  /** A workspace of somebody who pays, and a member on the free tier. */
  async function given() {
    const payer = await customer(platform, 'team')
    const { id: workspaceId } = await workspaceOf(payer)
    const member = await person(platform)
    await join(platform, workspaceId, member, 'member')
    return { payer, member, workspaceId }
  }

  const move = (by: Person, body: { agentIds?: string[]; entryIds?: string[] }) => ask(by, moves.moveThings, { body })

  /** Copies of an entry, with addresses of their own, until a vault of the free tier is full. */
  async function fillVault(someone: Person, entryId: string) {
    const ownerId = await userIdOf(someone)
    const entry = await VaultEntry.query(database).findById(entryId).throwIfNotFound()
    const rows = Array.from({ length: 5 }, (_, index) => ({
      ...fieldsOf(entry),
      id: newId(),
      ownerId,
      origin: `https://${index}.example.com`,
    }))
    await VaultEntry.query(database).insert(rows)
  }

  return {
    moveThings: {
      async done() {
        const { member, workspaceId } = await given()
        return move(member, { agentIds: [(await agentOf(member, { workspaceId })).id] })
      },
      AGENT_NOT_FOUND: async () => move(await person(platform), { agentIds: [newId()] }),
      NOT_FOUND: async () => move(await person(platform), { entryIds: [newId()] }),
      async AGENT_ALREADY_RUNNING() {
        const { member, workspaceId } = await given()
        const { id } = await agentOf(member, { workspaceId })
        await call(member, agents.pauseAgent, { params: { agentId: id } })
        await call(member, agentRuns.startRun, { params: { agentId: id } })
        return move(member, { agentIds: [id] })
      },
      async AGENT_LIMIT_REACHED() {
        const { payer, member, workspaceId } = await given()
        for (let count = 0; count < 3; count += 1) await agentOf(member)
        return move(member, { agentIds: [(await agentOf(payer, { workspaceId })).id] })
      },
      async VAULT_LIMIT_REACHED() {
        const { payer, member, workspaceId } = await given()
        const entryId = await connectBadTools(payer, sites, { workspaceId })
        await fillVault(member, entryId)
        return move(member, { entryIds: [entryId] })
      },
      async TIER_REQUIRED() {
        const { payer, member, workspaceId } = await given()
        return move(member, { agentIds: [(await agentOf(payer, { workspaceId, trigger: 'webhook' })).id] })
      },
      async TOKEN_EXISTS() {
        const { payer, member, workspaceId } = await given()
        await connectBadTools(member, sites)
        const entryId = await connectBadTools(payer, sites, { workspaceId })
        return move(member, { entryIds: [entryId] })
      },
    },
  }
}
