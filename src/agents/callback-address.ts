import type { Config } from '../config/config.ts'
import { createReceiverUrl } from '../safe-fetch/receiver-url.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Agent } from './agent.ts'
import { callbackSecretAt, newCallbackSecret } from './new-secrets.ts'

/** An agent's callback address, and the secret that signs callbacks. */
export function createCallbackAddress(context: {
  sealing: Sealing
  config: { sites: Pick<Config['sites'], 'allow' | 'loopback'> }
}) {
  const { sealing } = context
  const readUrl = createReceiverUrl(context.config)

  const newSealedSecret = (id: string): string => newCallbackSecret(sealing, id)

  return {
    newSealedSecret,

    /** The columns for a new or removed address. The first address creates the secret, which later addresses keep. */
    columnsFor(id: string, text: string | null, sealed: string | null): Pick<Agent, 'callbackUrl' | 'callbackSecret'> {
      if (text === null) return { callbackUrl: null, callbackSecret: sealed }
      return { callbackUrl: readUrl(text), callbackSecret: sealed ?? newSealedSecret(id) }
    },

    /** The secret in plain text; null for an agent that never had an address. */
    secretOf: ({ id, callbackSecret }: Pick<Agent, 'id' | 'callbackSecret'>): string | null =>
      callbackSecret === null ? null : sealing.open(callbackSecret, callbackSecretAt(id)),
  }
}

export type CallbackAddress = ReturnType<typeof createCallbackAddress>
