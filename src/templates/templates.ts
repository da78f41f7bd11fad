import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import { requireCredits, type AccountStatus } from '../billing/account-status.ts'
import { requireFeature } from '../billing/tiers.ts'
import type { Config } from '../config/config.ts'
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

/** Templates: agents on the example sites of this installation, which start with one request. */
export function createTemplates(context: {
  config: Pick<Config, 'templateSites'>
  agents: Pick<Agents, 'secretOf'>
  runs: Pick<Runs, 'accept'>
  webhooks: { deliver: (delivery: InboundDelivery) => Promise<Outcome> }
}) {
  const { agents, runs, webhooks } = context
  const templates = readTemplates()
  const sites = new Map(Object.entries(context.config.templateSites))

  /** An example site, with the token that connects it. NOT_FOUND if this installation has none of that name. */
  function siteNamed(name: string): { origin: string; token: string } {
    const site = sites.get(name)
    assertThat(site, 'NOT_FOUND', { message: noSite(name) })
    return site
  }

  /**
   * Refuses a template that the account cannot start now: NOT_FOUND (a site is unavailable), TIER_REQUIRED, NO_CREDITS,
   * PERMISSION_DENIED (suspended).
   */
  function assertStartable(template: Template, standing: AccountStatus): void {
    for (const { site } of template.sites) siteNamed(site)
    if (template.trigger === 'webhook') requireFeature(standing, 'webhooks')
    requireCredits(standing)
  }

  function obstacleOf(template: Template, standing: AccountStatus): string | null {
    try {
      assertStartable(template, standing)
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
    siteNamed,
    assertStartable,

    /** All templates, with the sites that are available, and what keeps the account from starting each. */
    list: (standing: AccountStatus) =>
      templates.map((template) => ({
        ...template,
        sites: template.sites.map((choice) => ({
          ...choice,
          origin: sites.get(choice.site)?.origin ?? null,
          available: sites.has(choice.site),
        })),
        obstacle: obstacleOf(template, standing),
      })),

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

const noSite = (name: string): string =>
  `This installation has no example site named ${JSON.stringify(name)}, which the template uses. Connect a site of your own with POST /vault, and create an agent for it with POST /agents.`
