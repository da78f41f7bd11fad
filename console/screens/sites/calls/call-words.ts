import type { Api } from '../../../api/client.ts'

type Status = Api['ToolCallStatus']
type Call = Pick<Api['ToolCall'], 'status' | 'effect' | 'attempts'>

export const callState: Record<Status, { word: string; tone: 'good' | 'bad' | 'warn' | 'busy' | 'calm' }> = {
  planned: { word: 'not sent yet', tone: 'busy' },
  started: { word: 'under way', tone: 'busy' },
  succeeded: { word: 'succeeded', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  unknown: { word: 'unknown', tone: 'warn' },
}

/** What the status of a call says about the site, in a sentence. */
export function meaningOf({ status, effect, attempts }: Call): string {
  if (status === 'succeeded') return 'The site performed the call.'
  if (status === 'unknown')
    return 'It is not known whether the site performed the call: it was sent, and the answer was lost. Switchyard does not send it again by itself.'
  if (status !== 'failed') return 'The call is under way. This page shows its outcome as soon as it is known.'
  if (attempts === 0) return 'The call was not sent, so the site did nothing.'
  return effect === 'read'
    ? 'The call brought no result. It only reads, so it changed nothing.'
    : 'The site did nothing: it refused the call, or did not take it.'
}

/** What one can do about a call whose outcome is unknown, in the order in which it is best done. */
export function remediesOf({ status, effect }: Pick<Call, 'status' | 'effect'>): string[] {
  if (status !== 'unknown') return []
  if (effect === 'idempotent')
    return [
      'Call it again with the same arguments. The site declares that two calls have the same effect as one.',
      'Or look at the site, or call a tool that reads, to see whether it was performed.',
    ]
  return [
    'Look at the site first, or call a tool that reads, to see whether it was performed.',
    'Call it again only if it was not performed. Otherwise it happens twice.',
  ]
}

/** What the outcome in a refusal says. */
export const outcomeInWords: Record<Api['CallOutcome'], string> = {
  succeeded: 'The site performed the call, but its answer could not be read. Do not call it again for the answer.',
  failed: 'The site did nothing.',
  unknown: 'It is not known whether the site performed the call.',
}
