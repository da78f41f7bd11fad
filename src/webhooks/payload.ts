import type { WebhookField } from '../agents/agent.ts'
import { CodedError, type ErrorDetail } from '../errors.ts'
import { decodeUtf8, parseJson } from '../json.ts'

const unreadable = (message: string) =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path: '', message }] })

/** A payload: its original text, which is stored, and its members. */
export interface Payload {
  text: string
  members: Record<string, unknown>
}

/**
 * Reads a webhook payload: a JSON object (docs/specification.md, "Webhook payload"). Its text is kept unchanged, so
 * numbers of any size and odd strings are allowed. Fails with VALIDATION_ERROR.
 */
export function readPayload(bytes: Buffer): Payload {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw unreadable('The payload is not valid UTF-8.')
  const parsed = parseJson(text, { maxDepth: 100 })
  if (!parsed.ok) throw unreadable(parsed.problem)
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable('The payload must be a JSON object.')
  }
  return { text, members: value as Record<string, unknown> }
}

/**
 * Checks a payload against the agent's webhook schema; members that the schema does not name are allowed. Fails with
 * WEBHOOK_PAYLOAD_INVALID, which names every invalid field.
 */
export function assertMatches(schema: WebhookField[] | null, { members }: Payload): void {
  const details = (schema ?? []).flatMap((field) => problem(field, members))
  if (details.length === 0) return
  const message = `The payload does not match the webhook schema. ${details[0]?.path}: ${details[0]?.message}`
  throw new CodedError('WEBHOOK_PAYLOAD_INVALID', { message, details })
}

function problem({ name, type, required }: WebhookField, members: Record<string, unknown>): ErrorDetail[] {
  if (!Object.hasOwn(members, name)) return required ? [{ path: name, message: 'This field is required.' }] : []
  const found = typeOf(members[name])
  return found === type ? [] : [{ path: name, message: `This field must be of type ${type}, not ${found}.` }]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
