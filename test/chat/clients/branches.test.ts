// @promise chat-clients
import test from 'ava'
import { historyOf } from '../stage.ts'
import { kinds } from './kinds.ts'
import { lastWords, openPage } from './page.ts'
import { sharedWorld } from './world.ts'

const world = sharedWorld(test)

const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id)

/** The number of the last answer, such as `#3`. */
const numberOf = (page: Parameters<typeof lastWords>[0]): string => lastWords(page).split(' ')[0] ?? ''

for (const kind of kinds) {
  test(`a message is answered again, and the conversation goes on from the new answer (${kind.title})`, async (t) => {
    const { sessionOf } = await world()
    const session = await sessionOf({ model: 'observant' })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: 'Hello' })
    const replaced = page.chat.lastMessage?.id
    await page.chat.regenerate()
    t.regex(lastWords(page), /^#\d+ saw Hello\.$/)
    t.not(page.chat.lastMessage?.id, replaced)
    t.is(page.chat.messages.length, 2)
    t.deepEqual(idsOf((await historyOf(session)).items), idsOf(page.chat.messages))
    const everything = idsOf((await historyOf(session, '?branch=all')).items)
    t.deepEqual(everything, [page.chat.messages[0]?.id, replaced, page.chat.lastMessage?.id])

    const kept = numberOf(page)
    await page.chat.sendMessage({ text: 'Go on' })
    t.regex(lastWords(page), new RegExp(`^#\\d+ saw Hello, ${kept}, Go on\\.$`))
    await page.chat.regenerate({ messageId: page.chat.messages[1]?.id ?? '' })
    t.regex(lastWords(page), /^#\d+ saw Hello\.$/)
    t.deepEqual(idsOf((await historyOf(session)).items), idsOf(page.chat.messages))
  })

  test(`an edited message takes the place of the old one, and the answers to that are not seen any more (${kind.title})`, async (t) => {
    const { sessionOf } = await world()
    const session = await sessionOf({ model: 'observant' })
    const page = openPage(kind, session)
    await page.chat.sendMessage({ text: 'Hello' })
    const first = numberOf(page)
    await page.chat.sendMessage({ text: 'Go left' })
    await page.chat.sendMessage({ text: 'Go right', messageId: page.chat.messages[2]?.id ?? '' })
    t.regex(lastWords(page), new RegExp(`^#\\d+ saw Hello, ${first}, Go right\\.$`))
    const second = numberOf(page)
    const { items } = await historyOf(session)
    t.deepEqual(idsOf(items), idsOf(page.chat.messages))
    t.like(items[2], { role: 'user', parts: [{ type: 'text', text: 'Go right' }] })
    t.is((await historyOf(session, '?branch=all')).items.length, 6)

    await page.chat.sendMessage({ text: 'And on' })
    t.regex(lastWords(page), new RegExp(`^#\\d+ saw Hello, ${first}, Go right, ${second}, And on\\.$`))
    await page.chat.sendMessage({ text: 'Good day', messageId: page.chat.messages[0]?.id ?? '' })
    t.regex(lastWords(page), /^#\d+ saw Good day\.$/)
    t.deepEqual(idsOf((await historyOf(session)).items), idsOf(page.chat.messages))
  })
}
