import * as sessions from '../../api/sessions.ts'
import { call, sendRaw } from '../../test/helpers/client.ts'
import type { Person } from '../../test/helpers/people.ts'

const longText = 100_000
const mebibyte = 1024 * 1024

interface Site {
  entryId: () => string
  publish: (answers: { result: string }) => Promise<void>
}

/** The longest possible chats, with a site that returns the largest results. */
export function chats(owner: Person, { entryId, publish }: Site): Record<string, () => Promise<unknown>> {
  const open = async (askFirst: string[] = []) => {
    const body = { sites: [{ vaultEntryId: entryId(), askFirst }] }
    const { token } = (await call(owner, sessions.createSession, { body })).body
    const headers = { 'x-session-token': token, 'content-type': 'application/json', accept: 'application/json' }
    const url = `${owner.url}/chat/messages`
    return {
      say: (text: string) => sendRaw(url, { method: 'POST', headers, body: JSON.stringify({ text }) }),
      read: (query: string) => sendRaw(`${url}?${query}`, { headers }),
    }
  }
  const called = async (unit: string, times: number) => {
    await publish({ result: `{"a":"${unit.repeat(Math.floor((mebibyte - 9) / unit.length))}"}` })
    const { say, read } = await open()
    for (let count = 0; count < times; count += 1) await say(`[[call act {"n":${count}}]]`)
    await say('And now?')
    await read('limit=100')
    await publish({ result: '{}' })
  }
  return {
    'twenty long messages': async () => {
      const { say, read } = await open()
      for (let count = 0; count < 20; count += 1) await say('x'.repeat(longText))
      await read('limit=100')
    },
    'a message of unseen signs': async () => void (await (await open()).say(`a${'\u200d'.repeat(longText - 1)}`)),
    'eight results of a mebibyte': () => called('x', 8),
    'eight results of escapes': () => called('\\u0061', 8),
    'eight results of signs': () => called('&#97;', 8),
  }
}
