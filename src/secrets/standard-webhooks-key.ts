/**
 * The key in a secret of Standard Webhooks: base64 of 24 to 64 bytes, with or without `whsec_` in front (Standard
 * Webhooks, "Signature scheme"). Undefined for any other secret. Only canonical base64 is accepted, because libraries
 * differ in what else they accept.
 */
export function standardWebhooksKey(secret: string): Buffer | undefined {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret
  const key = Buffer.from(text, 'base64')
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === text ? key : undefined
}
