import type { Api } from '../../api/client.ts'
import { parseExactly } from '../../api/exact-json.ts'

type Result = Pick<Api['TestDelivery'], 'accepted' | 'status'>

/** What came of a test delivery, in a sentence. */
export function verdictInWords({ accepted, status }: Result): string {
  if (!accepted) return `Refused. A sender would have received the status ${status}.`
  return status === 202 ? 'Accepted. It starts a run.' : 'Accepted. It starts no run.'
}

/** The run that an accepted delivery started, or belongs to. */
export function runOf({ answer }: Pick<Api['TestDelivery'], 'answer'>): string | undefined {
  const id = answer?.['runId']
  return typeof id === 'string' ? id : undefined
}

const samples: Record<string, unknown> = { string: 'text', number: 1, boolean: true, object: {}, array: [] }

/** A payload that has every required member of the schema. */
export function samplePayload(
  schema: readonly Pick<Api['WebhookField'], 'name' | 'type' | 'required'>[] | null,
): string {
  const members = (schema ?? []).filter(({ required }) => required).map(({ name, type }) => [name, samples[type]])
  return JSON.stringify(Object.fromEntries(members), null, 2)
}

/** The payload, or undefined if the text is not JSON. */
export function payloadOf(text: string): { payload: unknown } | undefined {
  try {
    return { payload: parseExactly(text) }
  } catch {
    return undefined
  }
}
