import { createHmac, timingSafeEqual } from 'node:crypto'
import { standardWebhooksKey, unquoted } from '../secrets/standard-webhooks-key.ts'
import type { Preset, Signature } from './presets.ts'

/** Reads a header by name. An empty header is not absent. */
export type ReadHeader = (name: string) => string | undefined

/** A sender's proof, and the secrets to check it. */
interface Evidence {
  header: ReadHeader
  /** The raw bytes, read only if all required headers are present. May fail with VALIDATION_ERROR. */
  readBody: () => Promise<Buffer>
  /** The agent's valid secrets; one of them must match. */
  secrets: string[]
  now: Date
  /** Whether it accompanies the proof that the agent requires. */
  isBeside?: boolean
}

/** How far a signature's time may differ from our clock, either way. */
const windowSeconds = 300

/**
 * Checks one proof. Returns the problem, in a sentence that reveals nothing about the secret; undefined if valid. The
 * senders' libraries would need as much code and more maintenance than one computation over one table (`presets`).
 */
export async function problemOfProof(preset: Preset, evidence: Evidence): Promise<string | undefined> {
  const { header, secrets } = evidence
  const missing = headersOf(preset).find((name) => header(name) === undefined)
  const reason = evidence.isBeside
    ? 'A signature that accompanies the secret must also be valid.'
    : 'This agent requires it.'
  if (missing !== undefined) return `The ${missing} header is missing. ${reason}`
  const given = header(preset.header) ?? ''
  const mismatch = `The ${preset.header} header does not match. ${reason}`
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
  // The parts are joined by periods. An id with a period could be read as another request.
  if (id.includes('.')) return `The ${signature.idHeader} header must not contain a period.`
  const members = membersOf(signature, given)
  const timestamp = timestampOf(signature, members, header)
  if (signature.timestamp && !isPresent(timestamp, now))
    return `The signature's timestamp is missing, or it differs from the platform's time by more than ${windowSeconds} seconds.`
  const signatures = withPrefix(members, signature.prefix)
  const body = await readBody()
  const parts = { '{id}': id, '{timestamp}': timestamp, '{body}': body }
  const expected = secrets.flatMap((secret) => signatureOf(signature, parts, secret) ?? [])
  const matches = signatures.some((one) => expected.some((right) => equal(one, right)))
  return matches ? undefined : mismatch
}

function headersOf({ header, signature }: Preset): string[] {
  const { idHeader, timestamp } = signature ?? {}
  const names = [header, idHeader, timestamp && 'header' in timestamp ? timestamp.header : undefined]
  return names.filter((name) => name !== undefined)
}

/** Some senders, and proxies that join headers, put spaces after a comma. */
const membersOf = ({ separator }: Signature, given: string): string[] =>
  separator === undefined ? [given] : given.split(separator).map((member) => member.trim())

const withPrefix = (members: string[], prefix: string): string[] =>
  members.filter((member) => member.startsWith(prefix)).map((member) => member.slice(prefix.length))

/** Empty if there is none, or if one header has several, because it is unclear which was signed. */
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

/** The expected signature; undefined if the secret is not a key of this scheme. */
export function signatureOf({ signs, encoding, key }: Signature, parts: Parts, secret: string): string | undefined {
  const bytes = keys[key](secret)
  if (bytes === undefined) return undefined
  const hmac = createHmac('sha256', bytes)
  for (const piece of signs.split(/(\{\w+\})/)) hmac.update(piece in parts ? parts[piece as keyof Parts] : piece)
  return hmac.digest(encoding)
}

const keys = { text: (secret: string) => secret, made: unquoted, base64: standardWebhooksKey } as const

/** Compares in constant time. The length of a secret is not secret. */
function equal(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
