import test from 'ava'
import { replayRun } from '../../../../api/runs.ts'
import { call } from '../../../helpers/client.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { allEnded, dataOf, runsOf, type Events } from '../../../helpers/runs.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

// So long a stall that the reconciler starts no agent: what wakes one here is what is delivered.
const platformOf = forWholeFile(test, 'deliveries', (t) =>
  startPlatform(t, { worker: true, env: { STALL_SECONDS: '600' } }),
)

async function open() {
  const platform = await platformOf()
  return { platform, someone: await customer(platform) }
}

const payloadOf = (timeline: Events) => dataOf(timeline, 'accepted')[0]?.['payload']

const deliveries = 18
const senders = 6

// @promise order
test('deliveries, 6 at once, to three agents: each agent works through its own in order of arrival, one at a time', async (t) => {
  const { platform, someone } = await open()
  const trio = await Promise.all(
    [1, 2, 3].map(() => webhookAgent(someone, { systemPrompt: '[[sleep 0.1]] [[say done]]' })),
  )

  const order: { agentId: string; number: number; sender: number; sequence: number; runId: string }[] = []
  let next = 0
  const sendOn = async (sender: number) => {
    for (let number = next++; number < deliveries; number = next++) {
      const agent = trio[number % trio.length]!
      const { status, body } = await deliver(platform, agent, { number })
      t.is(status, 202)
      order.push({ agentId: agent.id, number, sender, sequence: body.sequence, runId: body.runId })
    }
  }
  await Promise.all(Array.from({ length: senders }, (_, sender) => sendOn(sender)))
  t.is(order.length, deliveries)

  const spans: { agentId: string; from: number; to: number }[] = []
  for (const agent of trio) {
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
    const timelines = await Promise.all(runs.map(({ id }) => timelineOf(someone, id)))
    t.deepEqual(
      timelines.map(payloadOf),
      mine.toSorted((a, b) => a.sequence - b.sequence).map(({ number }) => ({ number })),
      'each run has the payload of its delivery',
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
})

// @promise order
test('a delivery that comes while the queue lingers after its last run is taken up, too', async (t) => {
  const { platform, someone } = await open()
  const agent = await webhookAgent(someone)
  for (let number = 1; number <= 3; number += 1) {
    await deliver(platform, agent, { number })
    await allEnded(someone, agent, 20)
  }
  t.is((await runsOf(someone, agent)).length, 3)
})

const said = (timeline: Events): string =>
  dataOf(timeline, 'step.finished')
    .map(({ text }) => String(text))
    .join(' ')

// @promise action
test('the action of a payload takes the place of the system prompt only where the agent allows it, and the timeline says so', async (t) => {
  const { platform, someone } = await open()
  const willing = await webhookAgent(someone, { systemPrompt: '[[say mine]]', allowActionOverride: true })
  const closed = await webhookAgent(someone, { systemPrompt: '[[say mine]]' })
  const action = '[[say theirs]]'
  const cases = [
    [willing, { action }, 'used', action],
    [willing, { action: `${action}\0\ud800` }, 'used', `${action}\0\ud800`],
    [willing, { action: '' }, 'absent', '[[say mine]]'],
    [willing, { action: ' \n' }, 'absent', '[[say mine]]'],
    [willing, { action: { say: action } }, 'absent', '[[say mine]]'],
    [willing, { other: action }, 'absent', '[[say mine]]'],
    [closed, { action }, 'not-allowed', '[[say mine]]'],
    [closed, { other: action }, 'absent', '[[say mine]]'],
  ] as const
  const delivered = await Promise.all(cases.map(([agent, payload]) => deliver(platform, agent, payload)))
  for (const agent of [willing, closed])
    t.true((await allEnded(someone, agent, 30)).every(({ status }) => status === 'completed'))
  for (const [index, [, payload, override, systemPrompt]] of cases.entries()) {
    const timeline = await timelineOf(someone, delivered[index]!.body.runId)
    t.like(dataOf(timeline, 'started')[0], { override, systemPrompt })
    t.regex(said(timeline), override === 'used' ? /theirs/ : /mine/)
    t.deepEqual(payloadOf(timeline), payload)
  }
  const replay = (await call(someone, replayRun, { params: { runId: delivered[0]!.body.runId } })).body
  await ended(someone, replay.id)
  t.like(dataOf(await timelineOf(someone, replay.id), 'started')[0], { override: 'used', systemPrompt: action })
})
