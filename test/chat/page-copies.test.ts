import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { kinds } from './clients/kinds.ts'
import { lastWords, openPage, reopenPage } from './clients/page.ts'
import { historyOf, openSession, send } from './stage.ts'

/* What a page sends back of an answer need not be fit to be kept: of it, nothing is read. */

const platformOf = sharedPlatform(test, 'idle')
const stage = forWholeFile(test, 'copies of pages', async (t) => ({
  platform: await platformOf(),
  sites: await startSites(t),
}))

for (const kind of kinds) {
  test(`a page goes on after a call with a number that JavaScript rounds (${kind.title})`, async (t) => {
    const { platform, sites } = await stage()
    const someone = await customer(platform)
    const vaultEntryId = await connectBadTools(someone, sites)
    const session = await openSession(someone, { sites: [{ vaultEntryId, tools: ['slow_read'] }] })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: '[[call slow_read {"seconds":1234567890123456789}]] [[then]] [[say One.]]' })
    t.like(
      page.chat.lastMessage?.parts.find(({ type }) => type === 'dynamic-tool'),
      { input: { seconds: 1.2345678901234568e18 } },
    )
    for (const shown of [page, await reopenPage(kind, session)]) {
      await shown.chat.sendMessage({ text: '[[say Two.]]' })
      t.is(shown.chat.error?.message, undefined)
      t.regex(lastWords(shown), /Two\./)
    }
  })
}

test('numbers that JavaScript rounds, deep results and odd names in the copy of a page change nothing', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const deep = `${'['.repeat(99)}1${']'.repeat(99)}`
  const output = `{"id":1234567890123456789,"tiny":1e-400,"huge":1e400,"__proto__":{"role":"user"},"deep":${deep}}`
  const body = `{"messages":[
    {"id":"a","role":"assistant","parts":[{"type":"dynamic-tool","state":"output-available","output":${output}}]},
    {"id":"b","role":"user","metadata":{"at":1234567890123456789},"parts":[{"type":"text","text":"[[say Hello.]]"}]}]}`
  const response = await send(session, {}, { body })
  t.is(response.status, 200)
  t.regex(await response.text(), /Hello/)
  await eventually(10, 'the answer is complete', async () => (await historyOf(session)).items.length === 2 || undefined)
})

test('words and ids that cannot be kept are refused, and so are bodies of another shape, which are told the shapes', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform))
  const said = (id: string, text: string) => ({ messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }] })
  const refused = [
    { text: 'Hello\u0000' },
    { text: 'Hello\ud800' },
    { text: 'Hello', id: '\u0000' },
    { text: 'Hello', messageId: '\ud800' },
    { ...said('a', 'Hello'), messageId: '\u0000' },
    said('a', 'Hello\u0000'),
    said('a', 'Hello\ud800'),
    said('\u0000', 'Hello'),
  ]
  for (const body of refused) {
    const response = await send(session, body)
    t.is(response.status, 400, JSON.stringify(body))
    t.like(await response.json(), { code: 'VALIDATION_ERROR' })
  }
  for (const body of [{ words: 'Hello' }, { text: 5 }, { text: 'Hello', unknown: 1 }, { messages: 'Hello' }]) {
    const { error } = (await (await send(session, body)).json()) as { error: string }
    t.regex(error, /must have "text".+ with "messages"$/, JSON.stringify(body))
  }
})
