import test from 'ava'
import * as vault from '../../api/vault.ts'
import { chatLeftOutSentence } from '../../src/models/prompt-format.ts'
import { openSession, send } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { customer } from '../helpers/people.ts'
import { startToolsSite } from '../helpers/tools-site.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { dataOf } from '../helpers/runs.ts'
import { events, status, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat } from './wire.ts'

/* Prompts that are longer than the provider takes, although the configured window has room for them. */

const takenBytes = 20_000
const read = { name: 'read_page', input_schema: { type: 'object', properties: { page: { type: 'integer' } } } }

/** In which words providers say so is a table of the rule. */
const refusal = '{"error":{"message":"Your input exceeds the context window.","code":"context_length_exceeded"}}'

const models = sharedModels(test)
const stage = forWholeFile(test, 'long prompts', async (t) => ({
  site: await startToolsSite(t, [read], JSON.stringify({ text: `${'lorem ipsum '.repeat(660)}end of page` })),
  chinese: await startToolsSite(t, [read], JSON.stringify({ text: '零一二三四五六七八九'.repeat(800) })),
  ...(await models()),
}))

/** Refuses what is longer than it takes. */
const bounded =
  (otherwise: () => Act): Act =>
  (response, request) => {
    const isTooLong = Buffer.byteLength(JSON.stringify(request.body)) > takenBytes
    return (isTooLong ? status(400, {}, refusal) : otherwise())(response, request)
  }

/** Reads so many pages, one a step, and answers then; what it has done it knows by its own count. */
function reading(pages: number) {
  let done = 0
  return () => {
    const call = { id: `c${done}`, name: 'read_page', arguments: JSON.stringify({ page: done }) }
    return events(done++ < pages ? chat.asking([call]) : chat.all('All is read.'))
  }
}

async function reader(site: 'site' | 'chinese') {
  const { platform, ...sites } = await stage()
  const someone = await customer(platform)
  const { body } = await call(someone, vault.addToVault, { body: { url: sites[site].origin, token: 'any' } })
  return { someone, sites: [{ vaultEntryId: body.id }] }
}

test('a run whose prompt is refused as too long is shown less of itself, and goes on', async (t) => {
  const { play } = await stage()
  const { someone, sites } = await reader('site')
  const { run, timeline, failures } = await runOnce(someone, { model: play([bounded(reading(6))]), sites })
  t.like(run, { status: 'completed', steps: 7, toolCalls: 6 })
  t.deepEqual(failures, [])
  const fitted = dataOf(timeline, 'context.fitted')
  t.true(fitted.length > 0)
  t.regex(String(fitted[0]?.['note']), /The provider rejected the prompt because it exceeded/)

  // A single result that is too long is shown in part.
  const { someone: other, sites: chinese } = await reader('chinese')
  const inPart = await runOnce(other, { model: play([bounded(reading(3))]), sites: chinese })
  t.like(inPart.run, { status: 'completed', steps: 4, toolCalls: 3 })
})

test('a chat whose prompt is refused as too long goes on without its oldest messages', async (t) => {
  const { provider, platform, play } = await stage()
  const model = play([bounded(() => events(chat.all('I have read it.')))])
  const session = await openSession(await customer(platform), { model })
  for (let number = 1; number <= 8; number += 1) {
    const answered = await send(session, { text: `Message ${number}. ${'word '.repeat(1000)}` })
    t.is(answered.status, 200)
    t.regex(await answered.text(), /I have read it\./)
  }
  const last = JSON.stringify(provider.requestsOf(model).at(-1)?.body['messages'])
  t.true(last.includes('Message 8.') && !last.includes('Message 1.') && last.includes(chatLeftOutSentence))
})

test('if nothing can be left out, the run ends with a sentence that says so, after one more request', async (t) => {
  const { provider, platform, play } = await stage()
  const model = play([status(400, {}, refusal)])
  const { run, failures } = await runOnce(await customer(platform), { model })
  t.is(run.status, 'failed')
  t.is(failures.length, 1)
  t.regex(
    String(failures[0]?.['message']),
    /rejected the prompt because it is too long.*`contextTokens` in GET \/models/,
  )
  t.is(provider.requestsOf(model).length, 2)
})

test('a chat learns from the counts of its provider how long a prompt may be', async (t) => {
  const { platform, play } = await stage()
  const sizes: number[] = []
  const model = play([
    (response, request) => {
      const bytes = Buffer.byteLength(JSON.stringify(request.body))
      sizes.push(bytes)
      return events([...chat.begin('Yes.'), ...chat.end(), ...chat.usage(bytes), ...chat.done()])(response, request)
    },
  ])
  const session = await openSession(await customer(platform), { model })
  for (let number = 1; number <= 8; number += 1) {
    const answered = await send(session, { text: `${number} ${'0123456789abcdef'.repeat(1000)}` })
    t.is(answered.status, 200)
    await answered.text()
  }
  // 128,000 tokens are assumed, of which a third is left for the answer; this model counts a token for each byte.
  t.true(
    sizes.every((bytes) => bytes < 86_000),
    sizes.join(', '),
  )
  t.true(sizes.length === 8 && Math.max(...sizes) > 60_000, sizes.join(', '))
})
