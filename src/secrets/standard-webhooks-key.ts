const quotations = new Set([`""`, `''`, '``', '“”', '‘’'])

/** The text without surrounding quotation marks, which people copy from settings files. */
export function unquoted(text: string): string {
  const isQuoted = text.length > 1 && quotations.has(`${text.at(0)}${text.at(-1)}`)
  return isQuoted ? text.slice(1, -1) : text
}

/** A key, or the problem of the secret, as the end of a sentence that starts with "The secret". */
type Reading = { key: Buffer } | { problem: string }

/** They are valid base64url, but a person typed them, and no sender decodes them. */
const typedWords = /^[a-z]+(?:[_-][a-z]+)+$/

/**
 * Reads a Standard Webhooks secret: base64 of 24 to 64 bytes, with or without the prefix `whsec_` (Standard Webhooks,
 * "Signature scheme"). Accepts pasted forms: quotation marks, the version `v1,`, missing padding, base64url. Bits
 * beyond the last byte must be zero, because libraries read them differently.
 */
export function readStandardWebhooksKey(secret: string): Reading {
  const [, prefix, text = ''] = /^(?:v1,)?(whsec_)?(.*)$/.exec(unquoted(secret)) ?? []
  if (/^whs?[pk]k_/.test(text)) return { problem: 'is a key for asymmetric signatures, which are not supported' }
  const [, digits = ''] = /^([^=]*)={0,2}$/.exec(text) ?? []
  if (!prefix && typedWords.test(digits)) return { problem: 'contains words instead of base64' }
  const isOneAlphabet = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)$/.test(digits)
  if (!isOneAlphabet) return { problem: 'contains characters that are not base64' }
  const key = Buffer.from(digits, 'base64url')
  if (key.toString('base64url') !== digits.replaceAll('+', '-').replaceAll('/', '_'))
    return { problem: 'is incomplete because its base64 does not end on a full byte' }
  if (key.length < 24 || key.length > 64) return { problem: `has ${key.length} bytes` }
  return { key }
}

/** The key in a Standard Webhooks secret; undefined for any other secret. */
export function standardWebhooksKey(secret: string): Buffer | undefined {
  const reading = readStandardWebhooksKey(secret)
  return 'key' in reading ? reading.key : undefined
}
