import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { agent, presentAgent } from './schemas/agent-schema.ts'
import { route } from './route/route.ts'

type Named = { services: Services; caller: { userId: string }; params: { agentId: string } }
const resource = ({ services, caller, params }: Named) => services.agents.get(caller.userId, params.agentId)

const shared = { tag: 'agents', access: 'account', status: 200 } as const

export const rotateSecret = route({
  ...shared,
  name: 'rotateSecret',
  method: 'post',
  path: '/agents/{agentId}/rotate-secret',
  summary: 'Give an agent another webhook secret',
  description:
    'A new secret, or the one that the sender has made. The former one stays good for `overlapSeconds`, a day unless ' +
    'said otherwise, so that senders can be changed one by one; rotating again ends the one before it at once.',
  body: v.strictObject({
    secret: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.regex(/^[\x21-\x7e]{16,255}$/, 'must be 16 to 255 visible ASCII characters'),
      ),
    ),
    overlapSeconds: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(0, 'must be at least 0'),
        v.maxValue(604_800, 'must be at most 604800, a week'),
      ),
      86_400,
    ),
  }),
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource, body }) =>
    presentAgent(services, await services.agents.rotateSecret(resource, body), caller),
})

export const rotateCallbackSecret = route({
  ...shared,
  name: 'rotateCallbackSecret',
  method: 'post',
  path: '/agents/{agentId}/rotate-callback-secret',
  summary: 'Change the secret that callbacks are signed with',
  description: 'The new one signs from now on, also callbacks that were made before.',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentAgent(services, await services.agents.rotateCallbackSecret(resource), caller),
})
