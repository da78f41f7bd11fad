import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { standardWebhooksKey } from '../secrets/standard-webhooks-key.ts'
import type { Preset, Signature } from './presets.ts'

/** Reads a header by its name; an empty one is not an absent one. */
export type ReadHeader = (name: string) => string | undefined

/** What a sender shows, and what it must have been made with. */
interface Evidence {
  header: ReadHeader
  /** The raw bytes; read only when everything that must come with them is there. May fail with VALIDATION_ERROR. */
  readBody: () => Promise<Buffer>
  /** The agent's secrets that are good now; one of them must fit. */
  secrets: string[]
  now: Date
  /** Whether it comes beside another proof, which is the one that the agent asks for. */
  isBeside?: boolean
}

/** How far the time of a signature may be from the time here, either way. */
const windowSeconds = 300

/**
 * Checks one way of proof. Returns what is wrong, in a sentence that says nothing about the secret; undefined when the
 * sender has proven itself. By hand rather than by each sender's library, because all the schemes are one computation
 * over one table (`presets`): a library each would be as much code, and more to keep up with.
 */
export async function problemOfProof(preset: Preset, evidence: Evidence): Promise<string | undefined> {
  const { header, secrets } = evidence
  const missing = headersOf(preset).find((name) => header(name) === undefined)
  const reason = evidence.isBeside
    ? 'a signature that comes beside the secret must be right too.'
    : "this agent's sender proves itself with it."
  if (missing !== undefined) return `The header ${missing} is missing; ${reason}`
  const given = header(preset.header) ?? ''
  const mismatch = `The header ${preset.header} does not match; ${reason}`
  const { signature } = preset
  if (!signature) return secrets.some((secret) => equal(given, secret)) ? undefined : mismatch
  return problemOfSignature(signature, given, mismatch, evidence)
}

async function problemOfSignature(
  signature: Signature,
  given: string,
  mismatch: string,
  { header, readBody, secrets, now }: Evidence,
): Promise<string | undefined> {
  const id = signature.idHeader === undefined ? '' : (header(signature.idHeader) ?? '')
  // The point divides what is signed: an identity with one could be read as another request.
  if (id.includes('.')) return `The header ${signature.idHeader} must not contain a point.`
  const members = membersOf(signature, given)
  const timestamp = timestampOf(signature, members, header)
  if (signature.timestamp && !isPresent(timestamp, now))
    return `The time of the signature is missing, or more than ${windowSeconds} seconds away from the time here.`
  const signatures = withPrefix(members, signature.prefix)
  const body = await readBody()
  const parts = { '{id}': id, '{timestamp}': timestamp, '{body}': body }
  const expected = secrets.flatMap((secret) => sign(signature, parts, secret) ?? [])
  const matches = signatures.some((one) => expected.some((right) => equal(one, right)))
  return matches ? undefined : mismatch
}

function headersOf({ header, signature }: Preset): string[] {
  const { idHeader, timestamp } = signature ?? {}
  const names = [header, idHeader, timestamp && 'header' in timestamp ? timestamp.header : undefined]
  return names.filter((name) => name !== undefined)
}

/** Some senders, and proxies that join headers, put blanks after a comma. */
const membersOf = ({ separator }: Signature, given: string): string[] =>
  separator === undefined ? [given] : given.split(separator).map((member) => member.trim())

const withPrefix = (members: string[], prefix: string): string[] =>
  members.filter((member) => member.startsWith(prefix)).map((member) => member.slice(prefix.length))

/** Empty where there is none; of several in one header none counts, because it would be open which was signed. */
function timestampOf({ timestamp }: Signature, members: string[], header: ReadHeader): string {
  if (!timestamp) return ''
  if ('header' in timestamp) return header(timestamp.header) ?? ''
  const [only = '', ...others] = withPrefix(members, timestamp.prefix)
  return others.length === 0 ? only : ''
}

function isPresent(timestamp: string, now: Date): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) <= windowSeconds
}

type Parts = Record<'{id}' | '{timestamp}' | '{body}', string | Buffer>

/** The signature that the secret makes; undefined for a secret that is no key of this scheme. */
function sign({ signs, encoding, key }: Signature, parts: Parts, secret: string): string | undefined {
  const bytes = key === 'base64' ? standardWebhooksKey(secret) : secret
  if (bytes === undefined) return undefined
  const hmac = createHmac('sha256', bytes)
  for (const piece of signs.split(/(\{\w+\})/)) hmac.update(piece in parts ? parts[piece as keyof Parts] : piece)
  return hmac.digest(encoding)
}

/** Compares in constant time, also for texts of different lengths. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
