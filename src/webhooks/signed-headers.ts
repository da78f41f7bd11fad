import type { Preset } from './presets.ts'
import { signatureOf } from './proofs.ts'

/** What a sender would sign. */
interface Signed {
  secret: string
  body: Buffer
  /** Identifies the delivery, for senders that name it in a header. */
  id: string
  now: Date
}

/** The headers with which a sender proves a delivery, and names it. Fails if the secret is not a key of the scheme. */
export function signedHeaders(preset: Preset, { secret, body, id, now }: Signed): Record<string, string> {
  const { header, identity, signature } = preset
  const named = identity && 'header' in identity ? { [identity.header]: id } : {}
  if (!signature) return { ...named, [header]: secret }
  const seconds = String(Math.floor(now.getTime() / 1000))
  const digest = signatureOf(signature, { '{id}': id, '{timestamp}': seconds, '{body}': body }, secret)
  if (digest === undefined) throw new Error('the secret of an agent is a key of its scheme')
  const { timestamp, separator = '', prefix } = signature
  const isMember = timestamp !== undefined && 'prefix' in timestamp
  const start = isMember ? `${timestamp.prefix}${seconds}${separator}` : ''
  const own = timestamp && 'header' in timestamp ? { [timestamp.header]: seconds } : {}
  return { ...named, ...own, [header]: `${start}${prefix}${digest}` }
}
