// @promise chat-ends
import test, { type ExecutionContext } from 'ava'
import pLimit from 'p-limit'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { customer, person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, startFailingProvider } from '../models/failing-provider.ts'
import { failureRows, type FailureRow } from '../models/failure-rows.ts'
import { openModels } from '../models/stage.ts'
import { openProvider } from '../models/stage-of-provider.ts'
import { chat, kindOf, protocols } from '../models/wire.ts'
import { historyOf, openSession, partsOf, send, typesOf } from './stage.ts'

/* Every row of the tables of failures, as somebody meets it who chats: each fails before or after the first part. */

const modelOf = ({ title, protocol }: FailureRow): string => `${protocol}-${title.replaceAll(/\W+/g, '-')}`
const price = { input: 1, output: 2 }

const stage = forWholeFile(test, 'failures in chats', async (t) => {
  const provider = await startFailingProvider(t)
  const providers = protocols.map((protocol) => ({
    name: protocol,
    kind: kindOf[protocol],
    baseUrl: provider.url,
    apiKeyEnv: 'THE_KEY',
    models: failureRows
      .filter((row) => row.protocol === protocol)
      .map((row) => ({ id: modelOf(row), price, stream: row.isWhole !== true })),
  }))
  const { platform } = await openModels(t, providers, { worker: false })
  return { provider, platform }
})

const inTurn = pLimit(8)

/** The code and the sentence that a client sees, and whether it has seen a part before. */
async function failureOf(t: ExecutionContext, response: Response) {
  if (response.status !== 200) {
    const body = (await response.json()) as { code: string; error: string; statusCode: number }
    t.is(body.statusCode, response.status)
    return { ...body, isLate: false }
  }
  const parts = await partsOf(t, response)
  t.deepEqual(typesOf(parts).slice(-2), ['data-error', 'error'])
  const told = parts.find((part) => part.type === 'data-error')
  return { code: '', error: '', ...told?.data, isLate: true }
}

for (const row of failureRows) {
  test(`${row.protocol}: ${row.title} is told, after one request`, (t) =>
    inTurn(async () => {
      const { provider, platform } = await stage()
      const someone = await person(platform)
      const model = modelOf(row)
      provider.play(model, [row.act])
      const session = await openSession(someone, { model })
      const failure = await failureOf(t, await send(session, { text: 'Hello.', stream: true }))
      t.is(failure.code, 'MODEL_ERROR')
      t.regex(failure.error, row.sentence)
      t.is(provider.requestsOf(model).length, 1)
      const { items } = await historyOf(session)
      t.like(items[1], { status: 'failed', parts: [], error: { code: 'MODEL_ERROR', statusCode: 502 } })
      const { items: entries } = (await call(someone, billing.listLedger, {})).body
      t.is(entries.filter(({ kind }) => kind === 'chat_step').length, row.isBilled ? 1 : 0)
    }))
}

// @promise chat-codes
test('an answer that takes too long fails with CHAT_TIMEOUT, as a reply before its first part and as a part after it', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['silent', 'stuck'] }], {
    worker: false,
    env: { CHAT_TIMEOUT_SECONDS: '5' },
  })
  const someone = await customer(platform)
  provider.play('silent', [() => undefined])
  const early = await failureOf(
    t,
    await send(await openSession(someone, { model: 'silent' }), { text: 'Hello.', stream: true }),
  )
  t.like(early, { code: 'CHAT_TIMEOUT', statusCode: 504, isLate: false })
  provider.play('stuck', [events(chat.begin('I begin well. '), 'hang')])
  const late = await failureOf(
    t,
    await send(await openSession(someone, { model: 'stuck' }), { text: 'Hello.', stream: true }),
  )
  t.like(late, { code: 'CHAT_TIMEOUT', statusCode: 504, isLate: true })
})

test('an answer without a word is none, and its cost is charged all the same', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['silent'] }], { worker: false })
  const someone = await customer(platform)
  provider.play('silent', [events(chat.all(' \n'))])
  const session = await openSession(someone, { model: 'silent' })
  const failure = await failureOf(t, await send(session, { text: 'Hello.', stream: true }))
  t.is(failure.code, 'MODEL_ERROR')
  t.regex(failure.error, /empty/)
  t.like((await historyOf(session)).items[1], { status: 'failed', parts: [], error: { code: 'MODEL_ERROR' } })
  const { items: entries } = (await call(someone, billing.listLedger, {})).body
  t.is(entries.filter(({ kind }) => kind === 'chat_step').length, 1)
})
