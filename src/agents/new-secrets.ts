import { randomBytes } from 'node:crypto'
import type { Sealing } from '../secrets/sealing.ts'

export const webhookSecretAt = (id: string) => ({ id, column: 'agents.webhook_secret' })
export const callbackSecretAt = (id: string) => ({ id, column: 'agents.callback_secret' })

/** 32 random bytes in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** A new secret of an agent's webhook, sealed in its place. */
export const newWebhookSecret = (sealing: Sealing, id: string): string => sealing.seal(newSecret(), webhookSecretAt(id))

/** A new secret that signs an agent's callbacks, sealed in its place. */
export const newCallbackSecret = (sealing: Sealing, id: string): string =>
  sealing.seal(newSecret(), callbackSecretAt(id))
