import type { Agent } from '../agents/agent.ts'
import { CodedError } from '../errors.ts'
import type * as inThread from '../in-thread.ts'
import { decodeUtf8 } from '../json.ts'
import { JsonText } from '../json-text.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { factsOfPayload, plainPayload, type GivenPayload } from './payload-facts.ts'
import type { Payload } from './payload.ts'

/**
 * Up to here a payload is read at once: that takes two milliseconds at worst, and a thread takes one. Of a mebibyte it
 * takes 80.
 */
const inlineCharacters = 32 * 1024

const unreadable = (message: string) =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path: '', message }] })

const tooComplex = { problem: 'The payload is too complex to read in time.' }

/** Reads webhook payloads, the larger ones in threads: strangers write them. */
export function createPayloads({ threads }: { threads: Pick<Threads<typeof inThread>, 'run'> }) {
  const factsOf = async (given: GivenPayload, party: string) =>
    given.text.length <= inlineCharacters
      ? factsOfPayload(given)
      : threads.run(party, 'factsOfPayload', given).catch(orElse(tooComplex))

  return {
    /**
     * Reads a payload: a JSON object (docs/specification.md, "Webhook payload"). Its text is kept unchanged, so numbers
     * of any size and odd strings are allowed. The agent's owner waits for a turn. Fails with VALIDATION_ERROR.
     */
    async read(bytes: Buffer, agent: Pick<Agent, 'ownerId' | 'webhookSchema'>): Promise<Payload> {
      const text = decodeUtf8(bytes)
      if (text === undefined) throw unreadable('The payload is not valid UTF-8.')
      const facts = await factsOf({ text, schema: agent.webhookSchema }, agent.ownerId)
      if ('problem' in facts) throw unreadable(facts.problem)
      return { text, ...facts }
    },

    /** The value of an accepted payload, for its owner; undefined if it takes too long. */
    async show(text: string, ownerId: string): Promise<JsonText | undefined> {
      if (text.length <= inlineCharacters) return new JsonText(plainPayload(text))
      const plain = await threads.run(ownerId, 'plainPayload', text).catch(orElse(undefined))
      return plain === undefined ? undefined : new JsonText(plain)
    },
  }
}

export type Payloads = ReturnType<typeof createPayloads>
