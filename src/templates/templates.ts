import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import { requireCredits, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { CatalogueEntry } from '../catalogue/catalogue-format.ts'
import { assertThat, isCoded } from '../errors.ts'
import type { Runs } from '../runs/runs.ts'
import { presets } from '../webhooks/presets.ts'
import type { InboundDelivery, Outcome } from '../webhooks/webhooks.ts'
import { readTemplates } from './read-templates.ts'
import type { Template } from './template-format.ts'

/** The request that starts an agent from a template. */
interface Asked {
  id: string
  address: string
}

/** A site that a template names, and the vault entry of the owner if the owner has connected it. */
interface NamedSite {
  site: string
  entry: CatalogueEntry | undefined
  vaultEntryId: string | undefined
}

/** Templates: agents on sites of the catalogue, which start with one request. */
export function createTemplates(context: {
  agents: Pick<Agents, 'secretOf'>
  catalogue: Pick<Catalogue, 'named' | 'connectedAt'>
  runs: Pick<Runs, 'accept'>
  webhooks: { deliver: (delivery: InboundDelivery) => Promise<Outcome> }
}) {
  const { agents, catalogue, runs, webhooks } = context
  const templates = readTemplates()

  /** The sites of these names as an owner has them, by name. */
  async function sitesNamed(ownerId: string, names: Iterable<string>): Promise<Map<string, NamedSite>> {
    const named = [...new Set(names)].map((site) => ({ site, entry: catalogue.named(site) }))
    const entries = named.flatMap(({ entry }) => entry ?? [])
    const ids = await catalogue.connectedAt(ownerId, entries)
    const idOf = new Map(entries.map((entry, index) => [entry, ids[index]]))
    return new Map(named.map(({ site, entry }) => [site, { site, entry, vaultEntryId: entry && idOf.get(entry) }]))
  }

  const sitesOf = (ownerId: string, of: readonly Template[]) =>
    sitesNamed(
      ownerId,
      of.flatMap(({ sites }) => sites.map(({ site }) => site)),
    )

  function assertStartableWith(template: Template, sites: Map<string, NamedSite>, standing: AccountStatus): void {
    for (const { site } of template.sites) assertUsable(sites.get(site) ?? nowhere(site))
    if (template.trigger === 'webhook') requireFeature(standing, 'webhooks')
    requireCredits(standing)
  }

  function obstacleOf(...given: Parameters<typeof assertStartableWith>): string | null {
    try {
      assertStartableWith(...given)
      return null
    } catch (error) {
      if (isCoded(error)) return error.message
      throw error
    }
  }

  /** Gives the payload to the agent as a delivery with the agent's own secret. Fails as `Webhooks.deliver` does. */
  async function deliver(agent: Agent, payload: string, { id, address }: Asked): Promise<string> {
    const outcome = await webhooks.deliver({
      agentId: agent.id,
      header: (name) => (name === presets.secret.header ? agents.secretOf(agent) : undefined),
      address,
      requestId: id,
      assertJson: () => undefined,
      readBody: async () => Buffer.from(payload),
    })
    if (!('runId' in outcome)) throw new Error('a sample with the secret is not a test of the address')
    return outcome.runId
  }

  return {
    /** A site of a template for this owner. NOT_FOUND if it is not in the catalogue, or must be connected first. */
    async siteFor(ownerId: string, name: string) {
      const found = (await sitesNamed(ownerId, [name])).get(name) ?? nowhere(name)
      return { ...assertUsable(found), vaultEntryId: found.vaultEntryId }
    },

    /**
     * Refuses a template that the owner cannot start now: NOT_FOUND (a site is unavailable), TIER_REQUIRED, NO_CREDITS,
     * PERMISSION_DENIED (suspended).
     */
    async assertStartable(ownerId: string, template: Template, standing: AccountStatus): Promise<void> {
      assertStartableWith(template, await sitesOf(ownerId, [template]), standing)
    },

    /** All templates, with the sites that are available, and what keeps the owner from starting each. */
    async list(ownerId: string, standing: AccountStatus) {
      const sites = await sitesOf(ownerId, templates)
      return templates.map((template) => ({
        ...template,
        sites: template.sites.map((choice) => {
          const found = sites.get(choice.site) ?? nowhere(choice.site)
          return { ...choice, address: found.entry?.address ?? null, available: problemOf(found) === undefined }
        }),
        obstacle: obstacleOf(template, sites, standing),
      }))
    },

    /** NOT_FOUND. */
    get(id: string): Template {
      const template = templates.find((one) => one.id === id)
      assertThat(template, 'NOT_FOUND', { message: 'There is no template with this id. GET /templates lists them.' })
      return template
    },

    /**
     * Starts the first run of an agent with the template's sample, and returns the run's id. A webhook agent gets it as
     * a delivery, any other agent as the input of a manual run. Fails as `Webhooks.deliver` and `startManually` do.
     */
    async startFirst(agent: Agent, { sample }: Template, asked: Asked): Promise<string> {
      const payload = sample === undefined ? undefined : JSON.stringify(sample)
      if (agent.trigger === 'webhook') return deliver(agent, payload ?? '{}', asked)
      const request = { id: asked.id, idempotencyKey: undefined, input: payload }
      return (await runs.accept.startManually(agent, request)).id
    },
  }
}

const nowhere = (site: string): NamedSite => ({ site, entry: undefined, vaultEntryId: undefined })

/** Why a template cannot use a site: it needs one that the owner has connected, or that connects without the owner. */
function problemOf({ site, entry, vaultEntryId }: NamedSite): string | undefined {
  if (!entry)
    return `The catalogue of this installation has no site named ${JSON.stringify(site)}, which the template uses. Connect a site of your own with POST /vault, and create an agent for it with POST /agents.`
  const connects = entry.authType === 'none' || entry.token !== undefined
  return vaultEntryId !== undefined || connects
    ? undefined
    : `The template uses the site ${JSON.stringify(entry.name)}. Connect it first: its address is ${entry.address}.`
}

function assertUsable(site: NamedSite): CatalogueEntry {
  const problem = problemOf(site)
  assertThat(site.entry && problem === undefined, 'NOT_FOUND', { message: problem ?? '' })
  return site.entry
}
