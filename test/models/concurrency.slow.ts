import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { whyRun } from '../../api/why.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, ended, person } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { events, type Act } from './failing-provider.ts'
import { openProvider } from './stage-of-provider.ts'
import { chat } from './wire.ts'

test('a worker asks a provider as much at a time as it may, and an owner with many runs leaves others their turns', async (t) => {
  const { provider, platform } = await openProvider(t, [{ models: ['slow'], concurrency: 2 }])
  const [busy, other] = [await customer(platform), await person(platform)]
  let [now, most] = [0, 0]
  const order: string[] = []
  const held = Promise.withResolvers<void>()
  const slowly: Act = async (response, request) => {
    order.push(JSON.stringify(request.body).includes('I am the other') ? 'other' : 'busy')
    most = Math.max(most, ++now)
    await held.promise
    await delay(700)
    now -= 1
    await events(chat.all('Done.'))(response, request)
  }
  provider.play('slow', [slowly])
  const agents = await Promise.all(Array.from({ length: 10 }, () => agentOf(busy, { model: 'slow' })))
  const mine = await agentOf(other, { model: 'slow', systemPrompt: 'I am the other.' })
  const runs = await Promise.all(agents.map(async (agent) => (await start(busy, agent)).body.id))
  await eventually(20, 'both places are taken', () => now === 2 || undefined)
  const before = order.length
  const { id } = (await start(other, mine)).body
  const told = await eventually(30, 'why names the provider', async () => {
    const answers = await Promise.all(runs.map((runId) => call(busy, whyRun, { params: { runId } })))
    return answers.map(({ body }) => body.causes[0]).find((cause) => cause?.code === 'PROVIDER_BUSY')
  })
  held.resolve()
  t.regex(told.message, /has been waiting since \S+ because the AI provider provider-0 is /)
  t.is((await ended(other, id, 30)).status, 'completed')
  // Two calls are under way when the run starts, and some more may begin before it comes to ask.
  t.true(order.indexOf('other') - before <= 4, `${order.join(' ')}, of which ${before} were before`)
  for (const runId of runs) t.is((await ended(busy, runId, 90)).status, 'completed')
  t.is(most, 2)
  t.is(order.length, 11, 'each was asked once')
})
