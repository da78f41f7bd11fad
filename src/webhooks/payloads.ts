import type { Agent } from '../agents/agent.ts'
import { CodedError } from '../errors.ts'
import type * as inThread from '../in-thread.ts'
import { decodeUtf8 } from '../json.ts'
import { JsonText } from '../json-text.ts'
import { orElse, type Threads } from '../threads/threads.ts'
import { readableJson } from '../outputs/exact-json.ts'
import { factsOfPayload, type GivenPayload } from './payload-facts.ts'
import type { Payload } from './payload.ts'

/**
 * Payloads up to this length are read inline: that takes two milliseconds at worst, and a thread takes one. A mebibyte
 * takes 80.
 */
const inlineCharacters = 32 * 1024

const unreadable = (message: string) =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path: '', message }] })

const tooComplex = { problem: 'The payload is too complex to read in time.' }

/** Reads webhook payloads. Strangers write them, so larger ones are read in threads. */
export function createPayloads({ threads }: { threads: Pick<Threads<typeof inThread>, 'run'> }) {
  const factsOf = async (given: GivenPayload, party: string) =>
    given.text.length <= inlineCharacters
      ? factsOfPayload(given)
      : threads.run(party, 'factsOfPayload', given).catch(orElse(tooComplex))

  return {
    /**
     * Reads a payload: a JSON object (docs/specification.md, "Webhook payload"). Its text stays unchanged, so numbers
     * of any size and odd strings are allowed. Reads are queued by owner. Fails with VALIDATION_ERROR.
     */
    async read(bytes: Buffer, agent: Pick<Agent, 'ownerId' | 'webhookSchema'>): Promise<Payload> {
      const text = decodeUtf8(bytes)
      if (text === undefined) throw unreadable('The payload is not valid UTF-8.')
      const facts = await factsOf({ text, schema: agent.webhookSchema }, agent.ownerId)
      if ('problem' in facts) throw unreadable(facts.problem)
      return { text, ...facts }
    },

    /**
     * An accepted payload as JSON for its owner, with numbers as written and the last of repeated members. Undefined if
     * that takes too long.
     */
    async show(text: string, ownerId: string): Promise<JsonText | undefined> {
      if (text.length <= inlineCharacters) return new JsonText(readableJson(text))
      const readable = await threads.run(ownerId, 'readableJson', text).catch(orElse(undefined))
      return readable === undefined ? undefined : new JsonText(readable)
    },
  }
}

export type Payloads = ReturnType<typeof createPayloads>
