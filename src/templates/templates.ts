import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import { requireCredits, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { assertThat, isCoded } from '../errors.ts'
import type { Runs } from '../runs/runs.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import { presets } from '../webhooks/presets.ts'
import type { InboundDelivery, Outcome } from '../webhooks/webhooks.ts'
import { readTemplates } from './read-templates.ts'
import { createTemplateSites, type KnownSites } from './template-sites.ts'
import type { Template } from './template-format.ts'

/** The request that starts an agent from a template. */
interface Asked {
  id: string
  address: string
}

/** Templates: agents on sites of the catalogue, which start with one request. */
export function createTemplates(context: {
  agents: Pick<Agents, 'secretOf'>
  catalogue: Pick<Catalogue, 'known'>
  dialect: Pick<Dialect, 'offersChoice'>
  runs: Pick<Runs, 'accept'>
  webhooks: { deliver: (delivery: InboundDelivery) => Promise<Outcome> }
}) {
  const { agents, catalogue, dialect, runs, webhooks } = context
  const { assertUsable, problemOf } = createTemplateSites(context)
  const templates = readTemplates()

  const sitesOf = (ownerId: string, of: readonly Template[]) =>
    catalogue.known(
      ownerId,
      of.flatMap(({ sites }) => sites.map(({ site }) => site)),
    )

  function assertStartableWith(template: Template, sites: KnownSites, standing: AccountStatus): void {
    for (const choice of template.sites) assertUsable(choice, sites)
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
    async siteFor(ownerId: string, choice: Template['sites'][number]) {
      const site = assertUsable(choice, await catalogue.known(ownerId, [choice.site]))
      return { ...site, offersChoice: dialect.offersChoice(site.dialect) }
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
        sites: template.sites.map((choice) => ({
          ...choice,
          address: sites.get(choice.site)?.address ?? null,
          available: problemOf(choice, sites) === undefined,
        })),
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
