import test from 'ava'
import { customer, deliver, timelineOf, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { allEnded, dataOf, runsOf } from '../../helpers/runs.ts'

const deliveries = 120
const senders = 20

test.serial(
  '120 deliveries, 20 at once, to three agents: each agent works through its own in order of arrival, one at a time',
  async (t) => {
    const platform = await startPlatform(t, { worker: true })
    const someone = await customer(platform)
    const agents = await Promise.all(
      [1, 2, 3].map(() => webhookAgent(someone, { systemPrompt: '[[sleep 0.1]] [[say done]]' })),
    )

    const order: { agentId: string; number: number; sender: number; sequence: number; runId: string }[] = []
    let next = 0
    const sendOn = async (sender: number) => {
      for (let number = next++; number < deliveries; number = next++) {
        const agent = agents[number % agents.length]!
        const { status, body } = await deliver(platform, agent, { number })
        t.is(status, 202)
        order.push({ agentId: agent.id, number, sender, sequence: body.sequence, runId: body.runId })
      }
    }
    await Promise.all(Array.from({ length: senders }, (_, sender) => sendOn(sender)))
    t.is(order.length, deliveries)

    const spans: { agentId: string; from: number; to: number }[] = []
    for (const agent of agents) {
      const runs = await allEnded(someone, agent, 180)
      const mine = order.filter(({ agentId }) => agentId === agent.id)
      t.true(runs.every(({ status }) => status === 'completed'))
      t.deepEqual(
        runs.map(({ sequence }) => sequence),
        mine.map((_, index) => index + 1),
        'the sequence has no gaps',
      )
      t.deepEqual(
        new Map(runs.map(({ id, sequence }) => [id, sequence])),
        new Map(mine.toSorted((a, b) => a.sequence - b.sequence).map(({ runId, sequence }) => [runId, sequence])),
        'every receipt told the truth',
      )
      for (let sender = 0; sender < senders; sender += 1) {
        const own = mine.filter((one) => one.sender === sender).toSorted((a, b) => a.number - b.number)
        const sequences = own.map(({ sequence }) => sequence)
        t.deepEqual(
          sequences,
          sequences.toSorted((a, b) => a - b),
          'who waits for a receipt before the next keeps order',
        )
      }
      const times = runs.map((run) => ({ from: Date.parse(run.startedAt ?? ''), to: Date.parse(run.endedAt ?? '') }))
      for (const [index, { from }] of times.entries()) {
        const before = times[index - 1]
        if (before) t.true(before.to <= from, `run ${index + 1} started after run ${index} had ended`)
      }
      spans.push(...times.map((span) => ({ agentId: agent.id, ...span })))
    }
    const overlapping = spans.filter((one) =>
      spans.some((other) => other.agentId !== one.agentId && other.from < one.to && one.from < other.to),
    )
    t.true(overlapping.length > deliveries / 2, 'runs of different agents go on at the same time')
  },
)

test.serial('each delivery is worked on with its own payload', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  await Promise.all(Array.from({ length: 5 }, (_, number) => deliver(platform, agent, { number })))
  const runs = await allEnded(someone, agent, 30)
  const payloads = await Promise.all(
    runs.map(async ({ id }) => dataOf(await timelineOf(someone, id), 'accepted')[0]?.['payload']),
  )
  t.is(new Set(payloads.map((payload) => (payload as { number: number }).number)).size, 5)
})

test.serial('a delivery that comes while the queue lingers after its last run is taken up, too', async (t) => {
  const platform = await startPlatform(t, { worker: true, env: { STALL_SECONDS: '600' } })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  for (let number = 1; number <= 4; number += 1) {
    await deliver(platform, agent, { number })
    await allEnded(someone, agent, 20)
  }
  t.is((await runsOf(someone, agent)).length, 4)
})
