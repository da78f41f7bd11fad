import { hash } from 'node:crypto'
import { assertThat } from '../errors.ts'
import type { Payload } from './payload.ts'
import type { Preset } from './presets.ts'
import type { ReadHeader } from './proofs.ts'
import { namesOf } from './header-names.ts'

/** Identifies a delivery and its repetitions. */
interface Identity {
  idempotencyKey: string | undefined
  /** The header or the dotted path in the body that holds the key. */
  keyPlace: string | undefined
  /** SHA-256 of the body in hex. Without it, the key alone identifies the delivery. */
  bodyHash: string | undefined
}

/**
 * The identity of a delivery: the one that its sender's preset names, else `Idempotency-Key`, else `webhook-id`. An id
 * from a signed body counts alone, without a hash of the body: the sender vouches for it, and some senders (Stripe)
 * render an event again when they resend it. Fails with VALIDATION_ERROR for a malformed key.
 */
export function identityOf(preset: Preset, header: ReadHeader, body: Buffer, { texts }: Payload): Identity {
  const { identity } = preset
  const inside = identity && 'pointer' in identity ? identity.pointer : undefined
  const signed = inside === undefined ? undefined : texts[inside]
  if (inside !== undefined && signed !== undefined) {
    const keyPlace = inside.slice(1).replaceAll('/', '.')
    return { idempotencyKey: checked(signed, keyPlace), keyPlace, bodyHash: undefined }
  }
  const key =
    (identity && 'header' in identity && keyUnder(preset, identity, header)) ||
    keyIn(header, [...keyHeaders, 'svix-id'])
  return { idempotencyKey: key?.text, keyPlace: key?.name, bodyHash: key && hash('sha256', body) }
}

/** The key in the sender's header. If both spellings are sent, they must agree. */
function keyUnder(preset: Preset, { header: name, within }: Named, header: ReadHeader): Key | undefined {
  const names = namesOf(preset, name)
  const key = keyIn(header, names)
  if (key === undefined) return undefined
  const other = names.find((one) => ![undefined, key.text].includes(header(one)))
  const message = `The ${key.name} and ${other} headers have different values. They must be the same.`
  assertThat(other === undefined, 'VALIDATION_ERROR', { message, details: [{ path: other ?? '', message }] })
  const place = within === undefined ? undefined : header(within)
  return place ? { ...key, text: checked(`${checked(place, within ?? '')}:${key.text}`, key.name) } : key
}

interface Named {
  header: string
  within?: string
}

interface Key {
  text: string
  name: string
}

const keyHeaders = ['Idempotency-Key', 'webhook-id']

/** The idempotency key of a request: `Idempotency-Key` or `webhook-id`. Fails with VALIDATION_ERROR if malformed. */
export const idempotencyKeyOf = (header: ReadHeader): string | undefined => keyIn(header, keyHeaders)?.text

function keyIn(header: ReadHeader, names: string[]): Key | undefined {
  const name = names.find((one) => header(one) !== undefined)
  return name === undefined ? undefined : { text: checked(header(name) ?? '', name), name }
}

/**
 * The challenge to return if this is the sender's URL verification. Fails with VALIDATION_ERROR if the challenge is
 * missing, because it is not a delivery either.
 */
export function challengeIn({ urlCheck }: Preset, { texts }: Payload): string | undefined {
  if (texts['/type'] === undefined || texts['/type'] !== urlCheck?.type) return undefined
  const challenge = texts['/challenge']
  const message = 'A URL verification request must have a string as its challenge.'
  assertThat(challenge !== undefined, 'VALIDATION_ERROR', { message, details: [{ path: 'challenge', message }] })
  return challenge
}

function checked(key: string, path: string): string {
  const message = 'An idempotency key must be 1 to 255 visible ASCII characters.'
  const options = { message, details: [{ path, message }] }
  assertThat(/^[\x21-\x7e]{1,255}$/.test(key), 'VALIDATION_ERROR', options)
  return key
}
