import type { Api } from '../../../api/client.ts'
import { parseExactly } from '../../../api/exact-json.ts'

/** What somebody typed about an agent, as texts. */
export interface Draft {
  name: string
  systemPrompt: string
  trigger: Api['Trigger']
  cron: string
  timeZone: string
  webhookProof: Api['WebhookProof']
  /** The API's list of members, as JSON. */
  webhookSchema: string
  allowActionOverride: boolean
  callbackUrl: string
  model: string
  fallbackModel: string
  outputSchema: string
  summarizes: boolean
  creditsPerMonth: string
  watchSilence: boolean
  sites: Api['AgentSiteRequest'][]
}

export const emptyDraft = (timeZone: string): Draft => ({
  name: '',
  systemPrompt: '',
  trigger: 'manual',
  cron: '0 9 * * 1-5',
  timeZone,
  webhookProof: 'secret',
  webhookSchema: '',
  allowActionOverride: false,
  callbackUrl: '',
  model: '',
  fallbackModel: '',
  outputSchema: '',
  summarizes: false,
  creditsPerMonth: '',
  watchSilence: true,
  sites: [],
})

export function draftOf(agent: Api['Agent'], timeZone: string): Draft {
  const empty = emptyDraft(timeZone)
  return {
    ...empty,
    name: agent.name,
    systemPrompt: agent.systemPrompt,
    trigger: agent.trigger,
    cron: agent.cron ?? empty.cron,
    timeZone: agent.timeZone ?? empty.timeZone,
    webhookProof: agent.webhookProof,
    webhookSchema: agent.webhookSchema === null ? '' : JSON.stringify(agent.webhookSchema, null, 2),
    allowActionOverride: agent.allowActionOverride,
    callbackUrl: agent.callbackUrl ?? '',
    model: agent.model ?? '',
    fallbackModel: agent.fallbackModel ?? '',
    outputSchema: agent.outputSchema === null ? '' : JSON.stringify(agent.outputSchema, null, 2),
    summarizes: agent.summarizes,
    creditsPerMonth: agent.creditsPerMonth === null ? '' : String(agent.creditsPerMonth),
    watchSilence: agent.watchSilence,
    sites: agent.sites.map(({ tools, ...site }) => ({ ...site, ...(tools === null ? {} : { tools }) })),
  }
}

type Body = Omit<Api['CreateAgentRequest'], 'workspaceId'>

/** The draft as a request. Throws a SyntaxError if a schema is not JSON; `jsonProblem` says so beforehand. */
export function bodyOf(draft: Draft): Body {
  const isScheduled = draft.trigger === 'scheduled'
  return {
    name: draft.name,
    systemPrompt: draft.systemPrompt,
    trigger: draft.trigger,
    cron: isScheduled ? draft.cron.trim() : null,
    timeZone: isScheduled ? draft.timeZone.trim() : null,
    webhookProof: draft.webhookProof,
    webhookSchema: jsonOf(draft.webhookSchema) as Exclude<Body['webhookSchema'], undefined>,
    allowActionOverride: draft.allowActionOverride,
    callbackUrl: draft.callbackUrl.trim() || null,
    model: draft.model || null,
    fallbackModel: draft.fallbackModel || null,
    outputSchema: jsonOf(draft.outputSchema) as Exclude<Body['outputSchema'], undefined>,
    summarizes: draft.summarizes,
    // A text that is no number is sent as it is, and the API says what it should be.
    creditsPerMonth: draft.creditsPerMonth.trim() === '' ? null : numberOf(draft.creditsPerMonth.trim()),
    watchSilence: draft.watchSilence,
    sites: draft.sites,
  }
}

/** Only what differs, so that a change by somebody else in between is kept. */
export function changesOf(before: Draft, after: Draft): Partial<Body> {
  const known = bodyOf(before)
  const changed = Object.entries(bodyOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof Body]),
  )
  return Object.fromEntries(changed)
}

const jsonOf = (text: string): unknown => (text.trim() === '' ? null : parseExactly(text))

const numberOf = (text: string): number => (Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number))

/** What every part of the form needs. */
export interface PartProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  problem: (field: keyof Draft) => string | undefined
}
