import * as v from 'valibot'
import { ownersIn } from '../src/owners/reach.ts'
import { route } from './route/route.ts'
import { sessionProof } from './route/session-proof.ts'
import { named } from './schemas/documented.ts'
import { inWorkspace, pageOf, pagingOfOwner } from './schemas/schemas.ts'
import {
  listedSession,
  newSession,
  presentSession,
  presentWhole,
  session,
  sessionFields,
} from './schemas/session-schema.ts'

const ofAccount = { tag: 'sessions', access: 'account' } as const
const current = { tag: 'sessions', access: 'anyone', path: '/sessions/current', proof: sessionProof } as const

export const createSession = route({
  ...ofAccount,
  name: 'createSession',
  audit: { not: 'The session itself records this.' },
  method: 'post',
  path: '/sessions',
  summary: 'Create a chat session',
  description:
    "The token is shown only once. Anyone who has it can chat at your expense, with the session's sites and tools, but can do nothing else. A session lasts up to a day, but ends earlier if it is unused for two hours or the API key that created it stops working. See [Put a chat on a web page](/docs/how-to/chat-page).",
  owner: 'body',
  needs: 'use',
  body: v.strictObject({ ...inWorkspace, ...sessionFields }),
  status: 201,
  response: newSession,
  codes: ['FEATURE_LIMIT_REACHED'],
  handle: async ({ services, caller, ownerId, body }) =>
    presentWhole(services, await services.sessions.create(caller, ownerId, body)),
})

export const listSessions = route({
  ...ofAccount,
  name: 'listSessions',
  method: 'get',
  path: '/sessions',
  summary: 'List chat sessions',
  description: 'Newest first, without tokens or sites.',
  owner: 'query',
  query: v.strictObject({
    ...pagingOfOwner,
    active: v.optional(
      named(
        'SessionActive',
        v.picklist(['true', 'false'], 'must be true or false'),
        'true: only sessions whose token still works · false: only the others',
      ),
    ),
  }),
  status: 200,
  response: pageOf(listedSession),
  async handle({ services, ownerId, query: { active, ...query } }) {
    const isActive = active === undefined ? undefined : active === 'true'
    const page = await services.sessions.list(ownerId, { ...query, isActive })
    return { ...page, items: page.items.map((row) => presentSession(services, row)) }
  },
})

export const getCurrentSession = route({
  ...current,
  name: 'getCurrentSession',
  method: 'get',
  summary: 'Get the current chat session',
  description: 'Shows the session that the token belongs to, including its sites and tools.',
  status: 200,
  response: session,
  handle: ({ services, proven }) => presentWhole(services, proven.session),
})

/**
 * Routes are mounted in the order of their names, so this one precedes `endSession` and `current` is not taken as an
 * id.
 */
export const endCurrentSession = route({
  ...current,
  name: 'endCurrentSession',
  audit: { not: 'The session itself records this.' },
  method: 'delete',
  summary: 'End the current chat session',
  description: "The session's token stops working.",
  status: 204,
  handle: ({ services, proven }) => services.sessions.end(proven.session),
})

export const endSession = route({
  ...ofAccount,
  name: 'endSession',
  audit: { not: 'The session itself records this.' },
  needs: 'use',
  whenClosed: true,
  method: 'delete',
  path: '/sessions/{sessionId}',
  summary: 'End a chat session',
  description: 'Use this if a token is lost or leaked. The token stops working.',
  status: 204,
  resource: ({ services, caller, params }) => services.sessions.get(ownersIn(caller.reach), params.sessionId),
  codes: ['SESSION_NOT_FOUND'],
  handle: ({ services, resource }) => services.sessions.end(resource),
})
