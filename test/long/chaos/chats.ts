import { setTimeout as delay } from 'node:timers/promises'
import * as chat from '../../../api/chat.ts'
import { call, sendRaw } from '../../helpers/client.ts'
import { withToken } from '../../helpers/sessions.ts'
import type { Load, Pace } from './told.ts'
import type { Busy } from './owners.ts'
import { patienceMs, type createPatience } from './requests.ts'

type Session = Busy['sessions']['whole']

interface Parts {
  url: string
  patience: ReturnType<typeof createPatience>
  pace: Pace
}

/**
 * Visitors who send a message again, under its id, until it is answered. An answer that ended with its reader's connection
 * stays so if it has made calls.
 */
export function createChats(load: Pick<Load, 'messages'>, { url, patience, pace: { random, gaveUp } }: Parts) {
  return {
    async ask(session: Session, id: string): Promise<void> {
      const text = random.of([
        '[[call desk.once]] [[say Noted.]]',
        '[[call desk.read]] [[say Read.]]',
        '[[say Hello.]]',
      ])
      const body = { text, id, stream: false }
      const ask = () => call({ url }, chat.sendChatMessage, { body, headers: withToken(session) })
      if (await patience.untilAnswered('chat', ask, ['STREAM_ABORTED'])) load.messages.push(id)
    },

    /** As a page does: reads the stream to its end, and sends the message again if it breaks off. */
    async read(session: Session, id: string): Promise<void> {
      const body = JSON.stringify({ text: '[[call desk.idempotent]] [[say Streamed.]]', id, stream: true })
      const headers = { ...withToken(session), 'content-type': 'application/json' }
      for (; ; await delay(1000)) {
        const read = () => sendRaw(`${url}/chat/messages`, { method: 'POST', headers, body })
        const answer = await patience.once('stream', patienceMs, read)
        const end = answer?.status === 200 && /"type":"(finish|error|abort)"/.exec(answer.bytes.toString())?.[1]
        if (end === 'finish') break
        if (answer) patience.retry('stream', `${answer.status}, ${end || 'without an end'}`)
        if (gaveUp.aborted) throw new Error('a stream had no answer')
      }
      load.messages.push(id)
    },
  }
}
