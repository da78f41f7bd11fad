import type { WebhookField } from '../agents/agent.ts'
import type { ErrorDetail } from '../errors.ts'
import { parseJson } from '../json.ts'
import { adviceOnList } from './handshakes.ts'
import { presets } from './presets.ts'

/** What the platform reads from a payload. */
export interface PayloadFacts {
  /** Texts that identify deliveries of known senders and URL verifications, by JSON pointer. */
  texts: Record<string, string>
  /** The payload's instructions (`action`), if any. */
  action: string | undefined
  /** Mismatches with the agent's webhook schema. */
  mismatches: ErrorDetail[]
}

/** A payload as received, and the agent's webhook schema. The schema allows members that it does not name. */
export interface GivenPayload {
  text: string
  schema: WebhookField[] | null
}

/** Reads a payload. `problem` says why it is unusable. */
export function factsOfPayload({ text, schema }: GivenPayload): PayloadFacts | { problem: string } {
  const parsed = parseJson(text, { maxDepth: 100 })
  if (!parsed.ok) return { problem: parsed.problem }
  const { value } = parsed
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const advice = Array.isArray(value) ? `, not a list. ${adviceOnList(value)}` : '.'
    return { problem: `The payload must be a JSON object${advice}` }
  }
  const members = value as Record<string, unknown>
  const texts: Record<string, string> = {}
  for (const { pointer, path } of pointers) {
    const found = textAt(members, path)
    if (found !== undefined) texts[pointer] = found
  }
  const mismatches = (schema ?? []).flatMap((field) => mismatch(field, members))
  const action = textAt(members, ['action'])
  return { texts, action: action?.trim() === '' ? undefined : action, mismatches }
}

/** Members that identify deliveries, and those of Slack's URL verification. */
const pointers = [
  ...Object.values(presets).flatMap(({ identity }) => (identity && 'pointer' in identity ? [identity.pointer] : [])),
  '/type',
  '/challenge',
].map((pointer) => ({ pointer, path: pointer.slice(1).split('/') }))

/** The text at a path of member names; undefined if there is none. */
function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce((inside, name) => memberOf(inside, name), value)
  return typeof found === 'string' ? found : undefined
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

function mismatch({ name, type, required }: WebhookField, members: Record<string, unknown>): ErrorDetail[] {
  if (!Object.hasOwn(members, name)) return required ? [{ path: name, message: 'This field is required.' }] : []
  const found = typeOf(members[name])
  return found === type ? [] : [{ path: name, message: `This field must be of type ${type}, not ${found}.` }]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
