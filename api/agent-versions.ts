import * as v from 'valibot'
import type { Agent } from '../src/agents/agent.ts'
import type { NamedAgentVersion } from '../src/agents/agent-version.ts'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import { actorOf } from './route/audited.ts'
import { agentNamed as resource } from './route/resources.ts'
import { route } from './route/route.ts'
import { maySeeSecrets, presentAgent } from './schemas/agent-schema.ts'
import { listedVersion, presentListedVersion, presentValue, restored, version } from './schemas/agent-version-schema.ts'
import { pageOf, paging } from './schemas/schemas.ts'

const shared = { tag: 'agents', access: 'account', status: 200, resource } as const

export const listAgentVersions = route({
  ...shared,
  name: 'listAgentVersions',
  method: 'get',
  path: '/agents/{agentId}/versions',
  summary: "List an agent's versions",
  description:
    'Newest first, without the values of the fields. The last 200 versions are kept, or fewer if they exceed 10 MiB. See [Agent versions](/docs/how-to/agent-versions).',
  query: v.strictObject(paging),
  response: pageOf(listedVersion),
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, query }) {
    const page = await services.agents.versions.list(resource, query)
    return { ...page, items: page.items.map(presentListedVersion) }
  },
})

export const getAgentVersion = route({
  ...shared,
  name: 'getAgentVersion',
  method: 'get',
  path: '/agents/{agentId}/versions/{version}',
  summary: "Get an agent's version",
  description: "Shows the agent's fields after a change, and how they differ from the version before.",
  response: version,
  codes: ['AGENT_NOT_FOUND', 'NOT_FOUND'],
  handle: async ({ services, caller, resource, params }) =>
    presentVersion(services, await services.agents.versions.get(resource, params.version), {
      caller,
      agent: resource,
    }),
})

export const restoreAgentVersion = route({
  ...shared,
  name: 'restoreAgentVersion',
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents/{agentId}/versions/{version}/restore',
  summary: "Restore an agent's version",
  description:
    "Sets the agent's fields to those of the version, under the same rules as an update. This makes a new version, unless the agent already has these fields. " +
    'Sites that are no longer connected, and tools that their sites no longer have, are left out and listed in `leftOut`. Secrets, pauses and runs in progress stay as they are.',
  response: restored,
  codes: ['AGENT_NOT_FOUND', 'NOT_FOUND', 'TIER_REQUIRED', 'INVALID_URL'],
  async handle({ services, caller, request, resource, params }) {
    const { agent, leftOut } = await services.agents.restore(resource, params.version, actorOf({ caller, request }))
    return { agent: await presentAgent(services, agent, caller), leftOut }
  },
})

/** A version as its reader may see it. */
async function presentVersion(
  services: Services,
  row: NamedAgentVersion,
  { caller, agent }: { caller: Caller; agent: Agent },
) {
  const isTrusted = maySeeSecrets(caller, agent)
  const differences = await services.agents.versions.differencesOf(row)
  return {
    ...presentListedVersion(row),
    fields: { ...row.fields, callbackUrl: presentValue('callbackUrl', row.fields.callbackUrl, isTrusted) },
    differences: differences.map(({ field, before, after }) => ({
      field,
      before: presentValue(field, before, isTrusted),
      after: presentValue(field, after, isTrusted),
    })),
  }
}
