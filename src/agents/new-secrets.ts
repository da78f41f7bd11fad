import { randomBytes } from 'node:crypto'
import type { Sealing } from '../secrets/sealing.ts'

export const webhookSecretAt = (id: string) => ({ id, column: 'agents.webhook_secret' })
export const callbackSecretAt = (id: string) => ({ id, column: 'agents.callback_secret' })

/** 32 random bytes in the format of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** A new webhook secret of an agent, sealed for its column. */
export const newWebhookSecret = (sealing: Sealing, id: string): string => sealing.seal(newSecret(), webhookSecretAt(id))

/** A new callback secret of an agent, sealed for its column. */
export const newCallbackSecret = (sealing: Sealing, id: string): string =>
  sealing.seal(newSecret(), callbackSecretAt(id))
