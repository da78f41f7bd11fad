import test from 'ava'
import { startChatServer, type ChatAnswer, type ChatRequest } from '../helpers/chat-server.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { historyOf, openSession, partsOf, send } from './stage.ts'

const read = { name: 'slow_read', arguments: '{"seconds":0}' }

/** A model that makes as many calls in each step as it is told, and uses as many tokens. */
function answer({ messages }: ChatRequest): ChatAnswer {
  const asked = messages.findLast(({ role }) => role === 'user')
  const said = /(\d+) calls, (\d+) tokens/.exec(JSON.stringify(asked?.content))
  return { calls: Array.from({ length: Number(said?.[1]) }, () => read), inputTokens: Number(said?.[2]) }
}

const stage = forWholeFile(test, 'budgets of chats', async (t) => {
  const provider = await startChatServer(answer)
  t.teardown(provider.close)
  const models = [{ id: 'm', price: { input: 1, output: 1 } }]
  const described = { name: 'busy', kind: 'openai-compatible', baseUrl: provider.url, models }
  const budgets = { RUN_STEPS: '4', RUN_TOOL_CALLS: '10', RUN_TOKENS: '5000' }
  const { platform, sites } = await openStage(t, {
    worker: false,
    env: { ...modelsEnvironment(t, [described]), ...budgets },
  })
  return { platform, sites }
})

const cases = [
  { text: '11 calls, 10 tokens', made: 0, reason: /budget of 10 tool calls/ },
  { text: '4 calls, 10 tokens', made: 8, reason: /budget of 10 tool calls/ },
  { text: '2 calls, 10 tokens', made: 8, reason: /budget of 4 steps/ },
  { text: '1 calls, 3000 tokens', made: 2, reason: /budget of 5000 tokens/ },
]

for (const { text, made, reason } of cases) {
  test.serial(`an answer of ${text} in each step ends at its budget, after ${made} calls`, async (t) => {
    const { platform, sites } = await stage()
    const someone = await customer(platform)
    const vaultEntryId = await connectBadTools(someone, sites)
    const session = await openSession(someone, { sites: [{ vaultEntryId, tools: ['slow_read'] }] })
    const before = sites.badTools.requests().length
    const parts = await partsOf(t, await send(session, { text, stream: true }))
    const last = parts.at(-1)
    t.regex(last?.type === 'error' ? last.errorText : '', reason)
    t.is(sites.badTools.requests().length - before, made)
    t.like((await historyOf(session)).items[1], { status: 'failed', error: { code: 'MODEL_ERROR' } })
  })
}
