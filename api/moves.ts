import * as v from 'valibot'
import { mostMoved } from '../src/moves/moves.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { list } from './schemas/list.ts'
import { id, inWorkspace, ownerId, text } from './schemas/schemas.ts'

const example = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'
const ids = (meaning: string) =>
  field(v.optional(list(text(64), mostMoved, `must have at most ${mostMoved}`), []), meaning, [example])

export const moveThings = route({
  tag: 'workspaces',
  access: 'login',
  name: 'moveThings',
  audit: { not: 'Noted in the transaction of the change.' },
  method: 'post',
  path: '/moves',
  summary: 'Move agents and connected sites to a workspace, or to yourself',
  description:
    `Up to ${mostMoved} in all, from one owner or several: all of them, or none. You have to be permitted to change them ` +
    'where they are and where they go. An agent uses sites of its own owner only, so an agent and the sites that it uses are ' +
    'moved together, and an agent is moved while it has no unfinished run. Addresses, secrets and schedules stay as they ' +
    'are. What was done before stays with the former owner: runs, direct calls, callbacks, notifications and costs. ' +
    'What is there already stays, so the request can be repeated.',
  needs: 'build',
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    agentIds: ids('The agents'),
    entryIds: ids('The vault entries'),
  }),
  status: 200,
  response: named(
    'Moved',
    v.object({
      ownerId,
      agentIds: field(v.array(id), 'The agents that belong to it now'),
      entryIds: field(v.array(id), 'The vault entries that belong to it now'),
    }),
    'What was moved, and to whom',
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
