const quotations = new Set([`""`, `''`, '``', '“”', '‘’'])

/** The text without quotation marks around it, as they are copied from a file of settings. */
export function unquoted(text: string): string {
  const isQuoted = text.length > 1 && quotations.has(`${text.at(0)}${text.at(-1)}`)
  return isQuoted ? text.slice(1, -1) : text
}

/** What can be wrong with a secret that is to be a key, in words that follow "The secret". */
type Reading = { key: Buffer } | { problem: string }

/** They would be base64 in the alphabet for addresses, but a person has chosen them, and no sender decodes them. */
const typedWords = /^[a-z]+(?:[_-][a-z]+)+$/

/**
 * Reads a secret of Standard Webhooks: base64 of 24 to 64 bytes, with or without `whsec_` in front (Standard Webhooks,
 * "Signature scheme"), as people paste it: in quotation marks, with the version `v1,`, without padding, in the
 * alphabet for addresses. Bits beyond the last byte must be zero, because libraries differ in what they make of them.
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

/** The key in a secret of Standard Webhooks; undefined for any other secret. */
export function standardWebhooksKey(secret: string): Buffer | undefined {
  const reading = readStandardWebhooksKey(secret)
  return 'key' in reading ? reading.key : undefined
}
