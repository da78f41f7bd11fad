import { LLMock } from '@copilotkit/aimock'
import test from 'ava'
import { agentOf, connectBadTools, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { openModels } from './stage.ts'

test('an agent whose model is a server that speaks Chat Completions calls a tool and answers', async (t) => {
  const mock = new LLMock({ port: 0 })
  const toolCalls = [{ name: 'echo_text', arguments: '{"text":"one"}' }]
  mock.addFixture({ match: { turnIndex: 0 }, response: { content: 'I look.', toolCalls } })
  mock.addFixture({ match: { turnIndex: 1 }, response: { content: 'All done.' } })
  await mock.start()
  t.teardown(() => mock.stop())
  const model = { id: 'local-model', price: { input: 1, output: 2 } }
  const provider = { name: 'local', kind: 'openai-compatible', baseUrl: `${mock.url}/v1`, models: [model] }
  const { platform, sites } = await openModels(t, [provider])
  const someone = await customer(platform)
  const agent = await agentOf(someone, { sites: [{ vaultEntryId: await connectBadTools(someone, sites) }] })
  const { id } = (await start(someone, agent)).body
  t.like(await ended(someone, id, 150), { status: 'completed', steps: 2, toolCalls: 1 })
  const timeline = await timelineOf(someone, id)
  t.like(dataOf(timeline, 'tool.finished'), [{ status: 'succeeded', result: '{"text":"one"}' }])
  t.like(dataOf(timeline, 'step.finished'), [{ model: 'local-model', text: 'I look.' }, { text: 'All done.' }])
})
