import * as v from 'valibot'
import { mostMoved } from '../src/moves/moves.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { list } from './schemas/list.ts'
import { idOf } from './schemas/example-ids.ts'
import { id, inWorkspace, ownerId, text } from './schemas/schemas.ts'

const example = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'
const ids = (meaning: string) =>
  field(v.optional(list(text(64), mostMoved, `must have at most ${mostMoved}`), []), meaning, [example])

export const moveThings = route({
  tag: 'workspaces',
  access: 'login',
  name: 'moveThings',
  audit: { not: 'Recorded in the same transaction as the change.' },
  method: 'post',
  path: '/moves',
  summary: 'Move agents and connected sites',
  description: `Moves up to ${mostMoved} agents and sites, either all of them or none, to a workspace or to your own account. Move an agent together with the sites that it uses, and only while the agent has no unfinished run. URLs, secrets and schedules stay the same, but past activity and its costs stay with the previous owner. Requires the \`member\` role or higher on both sides. Safe to repeat.`,
  needs: 'build',
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    agentIds: ids('Ids of the agents to move'),
    entryIds: ids('Ids of the vault entries to move'),
  }),
  status: 200,
  response: named(
    'Moved',
    v.object({
      ownerId,
      agentIds: field(v.array(id), 'Ids of the requested agents, which now belong to `ownerId`'),
      entryIds: field(v.array(idOf('entry')), 'Ids of the requested vault entries, which now belong to `ownerId`'),
    }),
    'Result of a move',
  ),
  codes: [
    'AGENT_NOT_FOUND',
    'NOT_FOUND',
    'AGENT_ALREADY_RUNNING',
    'AGENT_LIMIT_REACHED',
    'VAULT_LIMIT_REACHED',
    'TIER_REQUIRED',
    'TOKEN_EXISTS',
  ],
  async handle({ services, caller, request, ownerId: targetId, body }) {
    const moved = await services.moves.move(caller, actorOf({ caller, request }), targetId, body)
    await services.accessChanges.note()
    return moved
  },
})
