import test from 'ava'
import { customer } from '../helpers/people.ts'
import { openModels } from '../models/stage.ts'
import { startTalker } from '../models/talker.ts'
import { openSession, send, type TestSession } from './stage.ts'

/** Reads a stream as it comes: resolves once it has the text. */
function readerOf(response: Response) {
  const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  return {
    seen: () => seen,
    async until(text: string): Promise<void> {
      const late = setTimeout(() => void pieces.cancel(), 10_000)
      while (!seen.includes(text)) {
        const { done, value } = await pieces.read()
        if (done) throw new Error(`The stream has ended without ${text}: ${seen}`)
        seen += value
      }
      clearTimeout(late)
    },
  }
}

const resume = ({ token, url }: TestSession) =>
  fetch(`${url}/chat/messages/any/stream`, { headers: { 'x-session-token': token } })

test('the words of an answer that goes on alone are read as they come, by its first reader and by the next', async (t) => {
  const talker = await startTalker(t)
  const { platform } = await openModels(t, [talker.provider(['m'])], { worker: false })
  const session = await openSession(await customer(platform), { onDisconnect: 'continue' })
  const sent = send(session, { text: 'Speak.', stream: true })
  const model = await talker.call('m')
  model.say('First words. ')
  const first = readerOf(await sent)
  await first.until('First words. ')
  const second = readerOf(await resume(session))
  await second.until('First words. ')
  model.say('Second words. ')
  for (const reader of [first, second]) await reader.until('Second words. ')
  model.say('Last words.')
  model.finish()
  for (const reader of [first, second]) {
    await reader.until('[DONE]')
    t.is(reader.seen().split('Second words. ').length, 2)
    t.true(reader.seen().includes('"type":"finish"'))
  }
})
