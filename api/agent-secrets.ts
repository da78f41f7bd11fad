import * as v from 'valibot'
import { agent, presentAgent } from './schemas/agent-schema.ts'
import { route } from './route/route.ts'
import { field } from './schemas/documented.ts'
import { agentNamed as resource } from './route/resources.ts'

const shared = { tag: 'agents', access: 'account', status: 200 } as const

function secretProblem({ input }: { input: string }): string {
  const inside = /\s/.test(input) ? 'a space or a line break' : 'a character that is not allowed'
  const found = /^[\x21-\x7e]*$/.test(input) ? `${input.length} characters` : inside
  return `must be 16 to 255 visible ASCII characters, but has ${found}`
}

export const rotateSecret = route({
  ...shared,
  name: 'rotateSecret',
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents/{agentId}/rotate-secret',
  summary: "Rotate an agent's webhook secret",
  description:
    'Creates a new secret, or uses the one you send. The old one stays valid for `overlapSeconds`, by default a ' +
    'day, so that you can update senders one by one. It stops working immediately if you rotate again.',
  body: v.strictObject({
    secret: v.optional(
      field(
        v.pipe(
          v.string('must be a string'),
          // Trims a pasted secret, because a header value cannot start or end with white space.
          v.trim(),
          v.regex(/^[\x21-\x7e]{16,255}$/, secretProblem),
        ),
        'Secret from the sender. By default, the platform creates one.',
        'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
      ),
    ),
    overlapSeconds: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(0, 'must be at least 0'),
        v.maxValue(604_800, 'must be at most 604800, which is a week'),
        v.metadata({ description: 'Number of seconds that the old secret stays valid' }),
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
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents/{agentId}/rotate-callback-secret',
  summary: "Rotate an agent's callback secret",
  description:
    'All later callback attempts, including those for existing callbacks, are signed with the new secret. See [Callbacks](/docs/how-to/callbacks).',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentAgent(services, await services.agents.rotateCallbackSecret(resource), caller),
})
