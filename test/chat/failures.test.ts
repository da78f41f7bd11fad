// @promise chat-ends
import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { customer, person } from '../helpers/people.ts'
import { events, status, type Act } from '../models/failing-provider.ts'
import { sharedModels } from '../models/shared-models.ts'
import { openProvider } from '../models/stage-of-provider.ts'
import { anthropic, chat, responses } from '../models/wire.ts'
import { userIdOf } from '../helpers/workspaces.ts'
import { historyOf, openSession, partsOf, send, typesOf } from './stage.ts'

/* Failures of model calls as somebody meets them who chats: each comes before or after the first part. */

const stage = sharedModels(test)

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

type Asked = 'chat' | 'anthropic' | 'responses'
/** Which failures there are is a table of the reader. An empty answer is corrected once. */
const rows: [asked: Asked, title: string, act: Act, sentence: RegExp, charges: number, requests?: number][] = [
  ['chat', 'a status', status(500), /failing or overloaded \(status 500\)/, 0],
  [
    'chat',
    'a reset after the usage',
    events([...chat.begin(), ...chat.usage()], 'reset'),
    /ended before it was complete/,
    1,
  ],
  ['chat', 'an answer without a word', events(chat.all(' \n')), /empty/, 2, 2],
  ['anthropic', 'an end without the last event', events(anthropic.begin()), /ended early/, 1],
  ['responses', 'a reset in mid-stream', events(responses.begin(), 'reset'), /ended before it was complete/, 0],
]

for (const [asked, title, act, sentence, charges, requests = 1] of rows) {
  test(`${title} is told, after ${requests === 1 ? 'one request' : 'two requests'}, and charged if the provider bills it (${asked})`, async (t) => {
    const { provider, platform, play } = await stage()
    const someone = await person(platform)
    const model = play([act], asked)
    const session = await openSession(someone, { model })
    const failure = await failureOf(t, await send(session, { text: 'Hello.', stream: true }))
    t.is(failure.code, 'MODEL_ERROR')
    t.regex(failure.error, sentence)
    t.is(provider.requestsOf(model).length, requests)
    const { items } = await historyOf(session)
    t.like(items[1], { status: 'failed', parts: [], error: { code: 'MODEL_ERROR', statusCode: 502 } })
    const { items: entries } = (await call(someone, billing.listLedger, {})).body
    t.is(entries.filter(({ kind }) => kind === 'chat_step').length, charges)
    const held = platform.services.database('credit_holds').where({ ownerId: await userIdOf(someone) })
    t.deepEqual(await held, [], 'nothing is held any more')
  })
}

// @promise chat-codes
test('an answer that takes too long fails with CHAT_TIMEOUT, as a reply before its first part and as a part after it', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['silent', 'stuck'] }], {
    worker: false,
    env: { CHAT_TIMEOUT_SECONDS: '2' },
  })
  const someone = await customer(platform)
  const ask = async (model: string) =>
    failureOf(t, await send(await openSession(someone, { model }), { text: 'Hello.', stream: true }))
  provider.play('silent', [() => undefined])
  provider.play('stuck', [events(chat.begin('I begin well. '), 'hang')])
  const [early, late] = await Promise.all([ask('silent'), ask('stuck')])
  t.like(early, { code: 'CHAT_TIMEOUT', statusCode: 504, isLate: false })
  t.like(late, { code: 'CHAT_TIMEOUT', statusCode: 504, isLate: true })
})
