import { setTimeout as delay } from 'node:timers/promises'
import type { Balancer } from '../rolling/balancer.ts'
import { followRun } from '../rolling/follow-run.ts'
import { createOwner, type Agent } from '../rolling/load.ts'
import { createNotes, type Notes, type Seen } from './seen.ts'

/** The times between an agent's deliveries, a person's messages and the readings of a list, in milliseconds. */
const pauses = { deliveries: 10_000, chats: 500, reads: 400 }

/** Longer than the API waits for a database that is cut off. */
const mostMsUntilAccepted = 120_000

/**
 * An owner whose agents get deliveries from senders that send what failed again, and who watches runs, chats and reads.
 * `live` lets this go on until the signal aborts, and returns what they saw.
 */
export async function createUsers({ send }: Pick<Balancer, 'send'>) {
  const owner = await createOwner({ send })
  const { headers } = owner
  const quick = await Promise.all(Array.from({ length: 24 }, () => owner.agent('[[sleep 0.05]] [[say done]]')))
  const watched = await Promise.all(Array.from({ length: 6 }, () => owner.agent('[[sleep 1]] [[say done]]')))
  const session = await owner.session()
  const lists = ['/agents', '/runs?limit=20', `/agents/${quick[0]?.id}/why`]
  let number = 0

  /** As senders do: what was not accepted is sent again, under its key. Throws if it is not accepted in time. */
  async function deliver({ ask, seen }: Notes, { id, webhookSecret }: Agent): Promise<string> {
    const sentAt = Date.now()
    const body = JSON.stringify({ number: (number += 1) })
    const proof = { 'x-webhook-secret': webhookSecret, 'idempotency-key': `delivery-${number}` }
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...proof }, body }
    while (Date.now() - sentAt < mostMsUntilAccepted) {
      const answer = await ask(send, `/api/webhooks/agent/${id}`, init, 202)
      const { runId } = ((await answer?.json()) ?? {}) as { runId?: string }
      if (runId !== undefined) {
        seen.delivered.set(id, [...(seen.delivered.get(id) ?? []), { runId, sentAt }])
        return runId
      }
      await delay(200)
    }
    throw new Error(`A delivery was not accepted within ${mostMsUntilAccepted} ms.`)
  }

  const watch = (notes: Notes, agent: Agent) =>
    notes.noted('a watched run', async (arrived) => {
      const runId = await deliver(notes, agent)
      const { problems } = await followRun((init) => send(`/runs/${runId}/events`, init), headers)
      if (problems.length > 0) throw new Error(problems.join(', '))
      arrived('watched run')
    })

  const chat = ({ ask, noted }: Notes) =>
    noted('a chat answer', async (arrived) => {
      const body = JSON.stringify({ text: '[[say Here it is.]]', stream: true })
      const answer = await ask(send, '/chat/messages', { method: 'POST', headers: session, body }, 200)
      if (answer?.body) await readAnswer(answer.body, () => arrived('first word'))
    })

  const read = async ({ ask }: Notes, path: string) => (await ask(send, path, { headers }, 200))?.text()

  return {
    async live(signal: AbortSignal): Promise<Seen> {
      const notes = createNotes()
      const repeat = async (pauseMs: number, work: () => Promise<unknown>): Promise<void> => {
        const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined)
        // Not all at once.
        await pause(Math.random() * pauseMs)
        while (!signal.aborted) {
          await work()
          await pause(pauseMs)
        }
      }
      await Promise.all([
        ...quick.map((agent) => repeat(pauses.deliveries, () => deliver(notes, agent))),
        ...watched.map((agent) => repeat(pauses.deliveries, () => watch(notes, agent))),
        ...lists.map((path) => repeat(pauses.reads, () => read(notes, path))),
        repeat(pauses.chats, () => chat(notes)),
      ])
      return notes.seen
    },
  }
}

/** Reads a chat's answer to its end, which must be a good one. */
async function readAnswer(body: NonNullable<Response['body']>, spoke: () => void): Promise<void> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const wasSilent = !text.includes('"type":"text-delta"')
    text += chunk
    if (wasSilent && text.includes('"type":"text-delta"')) spoke()
  }
  if (!text.includes('"type":"finish"') || text.includes('"type":"error"')) throw new Error(text.slice(-200))
}
