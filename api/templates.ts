import * as v from 'valibot'
import { isCoded } from '../src/errors.ts'
import type { Template } from '../src/templates/template-format.ts'
import { createAgent } from './agents.ts'
import { perform, type OfCaller } from './route/perform.ts'
import { route } from './route/route.ts'
import { meanings } from './schemas/agent-fields.ts'
import { field, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { inWorkspace, listOf, ofOwner, trigger } from './schemas/schemas.ts'
import { siteCodes } from './schemas/vault-schema.ts'
import { addToVault } from './vault.ts'

const site = named(
  'TemplateSite',
  v.object({
    site: field(v.string(), 'Id of the site in the catalogue', 'tracker'),
    address: field(
      v.nullable(v.string()),
      'Address of the site. Null if the catalogue has no such site.',
      'https://tracker.example.com',
    ),
    available: field(v.boolean(), 'Whether the site is connected, or is connected when you start the template'),
    tools: field(v.array(v.string()), 'Tools that the agent can use at this site', ['search_issues']),
    askFirst: field(v.array(v.string()), ...meanings.askFirst),
  }),
  'Site that a template uses',
)

const template = named(
  'Template',
  v.object({
    id: field(v.string(), 'Id of the template', 'triage'),
    name: field(v.string(), 'Name that the agent gets', 'Triage'),
    title: field(v.string(), 'What the agent does, in a few words', 'Turn bug reports into issues'),
    description: field(
      v.string(),
      'What the agent does',
      'The agent looks for similar issues in the tracker and files the report as a new one.',
    ),
    trigger,
    sites: field(v.array(site), 'Sites that the agent uses'),
    obstacle: field(v.nullable(v.string()), 'Why you cannot start the template now. Null if you can.', null),
  }),
  'Agent that you can create and start with one request',
)

const shared = { tag: 'templates', access: 'account' } as const

export const listTemplates = route({
  ...shared,
  name: 'listTemplates',
  method: 'get',
  path: '/templates',
  summary: 'List templates',
  description:
    'Lists the templates of this installation, and whether you can start each of them. See [Start from a template](/docs/how-to/templates).',
  owner: 'query',
  query: v.strictObject(ofOwner),
  status: 200,
  response: listOf(template),
  handle: async ({ services, ownerId }) => ({
    items: await services.templates.list(ownerId, await services.billing.account(ownerId)),
  }),
})

export const createAgentFromTemplate = route({
  ...shared,
  name: 'createAgentFromTemplate',
  audit: { not: 'Connecting the sites and creating the agent each leave an entry of their own.' },
  method: 'post',
  path: '/templates/{templateId}/agents',
  summary: 'Create an agent from a template',
  description:
    "Connects the template's sites unless they are already in the vault, creates the agent, and starts its first run " +
    "with the template's sample. A repeated request creates another agent. Fails with `NOT_FOUND` if a site " +
    'is not in the catalogue, or if you must connect it first.',
  owner: 'body',
  body: v.strictObject(inWorkspace),
  status: 201,
  response: named(
    'StartedTemplate',
    v.object({ agentId: idOf('agent', 'Id of the new agent'), runId: idOf('run', 'Id of its first run') }),
    'Agent that was created from a template, and its first run',
  ),
  codes: [
    'NOT_FOUND',
    ...siteCodes,
    'TOKEN_EXISTS',
    'VAULT_LIMIT_REACHED',
    'TIER_REQUIRED',
    'SUBSCRIPTION_PAST_DUE',
    'AGENT_LIMIT_REACHED',
    'NO_CREDITS',
    'FEATURE_LIMIT_REACHED',
  ],
  async handle({ params, ...given }) {
    const { services, ownerId, request } = given
    const template = services.templates.get(params.templateId)
    await services.templates.assertStartable(ownerId, template, await services.billing.account(ownerId))
    const agentId = await createAgentOf(template, given)
    const agent = await services.agents.get(ownerId, agentId)
    return { agentId, runId: await services.templates.startFirst(agent, template, request) }
  },
})

async function createAgentOf(template: Template, given: OfCaller): Promise<string> {
  const { name, systemPrompt, trigger, cron, timeZone, webhookSchema, outputSchema } = template
  const sites: { vaultEntryId: string; tools: string[]; askFirst: string[] }[] = []
  for (const choice of template.sites) {
    const { tools, askFirst } = choice
    sites.push({ vaultEntryId: await entryOf(choice, given), tools, askFirst })
  }
  const fields = { name, systemPrompt, trigger, cron, timeZone, webhookSchema, outputSchema, sites }
  return (await perform(createAgent, given, fields)).id
}

/** The owner's vault entry for a site of the catalogue, which is connected if it is not yet. */
async function entryOf(choice: Template['sites'][number], given: OfCaller): Promise<string> {
  const { templates } = given.services
  const { address, token, vaultEntryId, offersChoice } = await templates.siteFor(given.ownerId, choice)
  if (vaultEntryId !== null) return vaultEntryId
  const more = { ...(token !== undefined && { token }), ...(offersChoice && { tools: choice.tools }) }
  try {
    return (await perform(addToVault, given, { url: address, ...more })).id
  } catch (error) {
    // Another request connected the site in the meantime.
    const connected = isCoded(error, 'TOKEN_EXISTS') && (await templates.siteFor(given.ownerId, choice)).vaultEntryId
    if (!connected) throw error
    return connected
  }
}
