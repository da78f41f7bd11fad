import type { Api } from '../../api/client.ts'

type Version = Pick<Api['AgentVersionSummary'], 'version' | 'by' | 'restoredFrom' | 'changed'>

const names: Record<Api['AgentVersionField'], string> = {
  name: 'name',
  systemPrompt: 'prompt',
  trigger: 'trigger',
  cron: 'cron expression',
  timeZone: 'time zone',
  webhookSchema: 'fields of a delivery',
  webhookProof: 'sender',
  allowActionOverride: 'replacement of the prompt',
  callbackUrl: 'callback URL',
  model: 'model',
  fallbackModel: 'fallback model',
  outputSchema: 'schema of the answer',
  summarizes: 'summaries',
  creditsPerMonth: 'credits per month',
  watchSilence: 'watch over silence',
  sites: 'sites and tools',
}

export const fieldInWords = (field: Api['AgentVersionField']): string => names[field]

const list = new Intl.ListFormat('en-US')

/** What a version changed, in a few words. */
export function changesInWords({ version, restoredFrom, changed }: Version): string {
  if (restoredFrom !== null) return `Restored version ${restoredFrom}`
  if (version === 1) return 'Created'
  return `Changed the ${list.format(changed.map((field) => names[field]))}`
}

/** Who made a version. An account that no longer exists has no name. */
export function actorInWords({ email, userId }: Pick<Api['AgentVersionActor'], 'email' | 'userId'>): string {
  if (email !== null) return email
  return userId === null ? 'Switchyard' : 'somebody who has left'
}
