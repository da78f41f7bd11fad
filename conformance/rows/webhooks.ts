import { agentOf, dataOf, deliver, ended, runsOf, startRun, timelineOf, webhookAgent } from '../agents.ts'
import type { Json } from '../client.ts'
import { connect } from '../connections.ts'
import { accepted, assert, assertSame, refused, shown, outcomeOf } from '../expect.ts'
import type { OwnSite } from '../own-site.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const forOwner = ['cards', 'directives'] as const

/** The member names of the specification's example. */
const example = {
  event: 'post.created',
  post_id: 4711,
  author: 'Ada Lovelace',
  title: 'The export hangs at 99 %',
  content: 'Since this morning every export stops at 99 % and never ends.',
  category: 'bug',
  created_at: '2026-11-21T09:00:00.000Z',
}

/** Delivers to a new agent and waits for the end of the run. */
async function delivered({ client, people }: Stage, fields: Json, payload: unknown) {
  const owner = await people.owner()
  const agent = await webhookAgent(client, owner, fields)
  const answer = await deliver(client, agent, { payload })
  const receipt = accepted(answer, 202)
  const run = await ended(client, owner, receipt['runId'])
  return { owner, agent, answer, receipt, run, events: await timelineOf(client, owner, receipt['runId']) }
}

const exampleDelivery = (stage: Stage) => stage.once('example', () => delivered(stage, {}, example))

const withAction = (stage: Stage, allowActionOverride: boolean, action: unknown = '[[say By the sender.]]') =>
  delivered(stage, { systemPrompt: '[[say By the owner.]]', allowActionOverride }, { action })

/** A manual run of the same agent, whose input has a member `action`. */
async function byHand({ client }: Stage, { owner, agent }: Awaited<ReturnType<typeof delivered>>) {
  const input = { action: '[[say By the input.]]' }
  const { id } = accepted(await startRun(client, owner, agent, { input }), 202)
  return { run: await ended(client, owner, id), events: await timelineOf(client, owner, id) }
}

const deliveries = 4

/** Precedes the number, so that a truncated payload has none. */
const filler = 'All of a payload is for the model, however long it is. '.repeat(150)

/** Several deliveries in sequence to an agent that reports each to a site. */
const queued = (stage: Stage) =>
  stage.once('queued', async () => {
    const { client, people, sites } = stage
    const owner = await people.owner()
    const site = await sites.at('queue')
    const vaultEntryId = await connect(client, owner, site)
    const agent = await webhookAgent(client, owner, {
      systemPrompt: 'Use record_arrival.',
      sites: [{ vaultEntryId, tools: ['record_arrival'] }],
    })
    const receipts: Json[] = []
    for (let number = 1; number <= deliveries; number += 1)
      receipts.push(accepted(await deliver(client, agent, { payload: { filler, number } }), 202))
    const runs: Json[] = []
    for (const { runId } of receipts) runs.push(await ended(client, owner, runId))
    return { receipts, runs, arrivals: site.arrivals.filter(({ path }) => path.endsWith('record_arrival')) }
  })

const numbersOf = (arrivals: OwnSite['arrivals']) =>
  arrivals.map(({ text }) => (JSON.parse(text) as { number: number }).number)

/** Not one of the 41 codes of the specification (docs/reference/errors.md). */
const notAllowed = { code: 'METHOD_NOT_ALLOWED', statusCode: 405 }

/** Checks a run whose payload has a member `action`: the timeline, and whose instructions the model followed. */
function assertOverride(
  { run, events }: Pick<Awaited<ReturnType<typeof delivered>>, 'run' | 'events'>,
  override: string,
  said: string,
): void {
  assertSame(dataOf(events, 'started')['override'], override, '"override"')
  assert(String(run['answer']).includes(said), `the answer is ${shown(run['answer'])}`)
}

export const webhookRows: Row[] = [
  {
    id: 'webhook/Trigger',
    says: 'POST {base_url}/api/webhooks/agent/{agent_id} with X-Webhook-Secret starts a run',
    needs: forOwner,
    async run(stage) {
      const { agent, answer, receipt, run } = await exampleDelivery(stage)
      const path = `/api/webhooks/agent/${String(agent['id'])}`
      assertSame(new URL(String(agent['webhookUrl'])).pathname, path, 'the path of the webhook URL')
      assertSame([receipt['sequence'], run['status']], [1, 'completed'], 'what came of it')
      return `${outcomeOf(answer)}; the run is completed`
    },
  },
  {
    id: 'webhook/Failure',
    says: '401 WEBHOOK_SECRET_INVALID, 422 WEBHOOK_PAYLOAD_INVALID; a body that is not a JSON object, or is not sent as JSON, is refused',
    needs: ['cards'],
    async run({ client, people }) {
      const agent = await webhookAgent(client, await people.owner(), { webhookSchema: [{ name: 'n', type: 'number' }] })
      const secret = refused(await deliver(client, agent, { secret: 'x' }), 'WEBHOOK_SECRET_INVALID')
      const payload = refused(await deliver(client, agent), 'WEBHOOK_PAYLOAD_INVALID')
      const list = refused(await deliver(client, agent, { payload: [1] }), 'VALIDATION_ERROR')
      const noJson = refused(await deliver(client, agent, { payload: '{"n":' }), 'VALIDATION_ERROR')
      const headers = { 'content-type': 'text/plain' }
      const noType = refused(await deliver(client, agent, { payload: { n: 1 }, headers }), 'VALIDATION_ERROR')
      accepted(await deliver(client, agent, { payload: { n: 1 } }), 202)
      return [secret, payload, list, noJson, noType].map((one) => one.replace(/ in .*/, '')).join(', ')
    },
  },
  {
    id: 'webhook/Payload members',
    says: 'any members: event, post_id, author, title, content, category, created_at …',
    needs: forOwner,
    async run(stage) {
      const { events } = await exampleDelivery(stage)
      assertSame(dataOf(events, 'accepted')['payload'], example, 'the payload of the timeline')
      return `${Object.keys(example).length} members arrived as they were sent`
    },
  },
  {
    id: 'events/1 Inbound',
    says: 'a delivery is an HTTP POST to the URL of an agent that webhooks start',
    needs: ['cards'],
    async run({ client, people }) {
      const owner = await people.owner()
      const agent = await webhookAgent(client, owner)
      const got = await client.send({ url: `/api/webhooks/agent/${String(agent['id'])}` })
      const { error, ...rest } = accepted(got, 405)
      assertSame([typeof error, rest], ['string', notAllowed], 'the body of the answer to GET')
      assert(got.headers.get('allow')?.split(/, */).includes('POST'), 'Allow does not name POST')
      const manual = await agentOf(client, owner)
      const sent = refused(await deliver(client, { ...manual, webhookSecret: 'any' }), 'AGENT_NOT_FOUND')
      return `GET: 405 METHOD_NOT_ALLOWED, with POST in Allow; a manual agent: ${sent}`
    },
  },
  {
    id: 'events/2 Context',
    says: 'each accepted POST starts a new run, with the whole payload in the context',
    needs: [...forOwner, 'ownSites'],
    async run(stage) {
      const { receipts, arrivals } = await queued(stage)
      assertSame(new Set(receipts.map(({ runId }) => runId)).size, deliveries, 'the number of runs')
      assertSame(
        numbersOf(arrivals).toSorted((a, b) => a - b),
        [1, 2, 3, 4],
        'what the model took from the payloads',
      )
      return `${deliveries} deliveries, ${deliveries} runs; each told the site the number at the end of ${filler.length} characters`
    },
  },
  {
    id: 'events/3 Kind',
    says: 'the kind is in the payload by convention; there is no fixed list',
    needs: ['cards'],
    async run({ client, people }) {
      const agent = await webhookAgent(client, await people.owner())
      for (const payload of [{ event: 'never.heard.of' }, { kind: 7 }, {}])
        accepted(await deliver(client, agent, { payload }), 202)
      return 'an unknown event, another member and none: 202'
    },
  },
  {
    id: 'events/4 Schema',
    says: 'validated before the run starts, and given to the AI as context',
    needs: forOwner,
    async run(stage) {
      const webhookSchema = [
        { name: 'title', type: 'string' },
        { name: 'count', type: 'number' },
      ]
      const { events, agent, run } = await delivered(stage, { webhookSchema }, { title: 'A', count: 1 })
      const fields = dataOf(events, 'started')['webhookSchema'] as Json[]
      assertSame(
        fields.map(({ name, type }) => ({ name, type })),
        webhookSchema,
        'the schema that the AI got',
      )
      assert(String(run['answer']).includes('title (string), count (number)'), `the AI says ${shown(run['answer'])}`)
      const wrong = await deliver(stage.client, agent, { payload: { title: 1, count: 1 } })
      return `in "started" of the timeline, and in the words of the AI; another payload: ${refused(wrong, 'WEBHOOK_PAYLOAD_INVALID')}`
    },
  },
  {
    id: 'events/5 Action override',
    says: 'when enabled, a text in the member action of a delivery overrides the system prompt',
    needs: forOwner,
    async run(stage) {
      const [found, ofNumber] = await Promise.all([withAction(stage, true), withAction(stage, true, 7)])
      assertOverride(found, 'used', 'By the sender.')
      assertOverride(ofNumber, 'absent', 'By the owner.')
      assertOverride(await byHand(stage, found), 'absent', 'By the owner.')
      return 'enabled: the prompt of the payload is used; not if it is a number, nor in the input of a manual run'
    },
  },
  {
    id: 'agent/Allow action override',
    says: 'boolean, off by default: then a member action changes nothing',
    needs: forOwner,
    async run(stage) {
      const found = await withAction(stage, false)
      const byDefault = await agentOf(stage.client, await stage.people.owner())
      assertSame([found.agent['allowActionOverride'], byDefault['allowActionOverride']], [false, false], 'the setting')
      assertOverride(found, 'not-allowed', 'By the owner.')
      return 'disabled: the prompt of the owner is used'
    },
  },
  {
    id: 'events/6 Run list',
    says: 'shows the newest run as triggered by a webhook; the timeline includes the payload',
    needs: forOwner,
    async run(stage) {
      const { owner, agent, receipt, events } = await exampleDelivery(stage)
      const later = accepted(await deliver(stage.client, agent), 202)
      const runs = await runsOf(stage.client, owner, agent)
      assertSame(
        runs.map(({ id, triggeredBy }) => [id, triggeredBy]),
        [later, receipt].map(({ runId }) => [runId, 'Triggered by: Webhook']),
        'the list of runs',
      )
      assertSame(dataOf(events, 'accepted')['payload'], example, 'the payload')
      return 'the newest of two runs is the first, "Triggered by: Webhook"; its timeline has the payload'
    },
  },
  {
    id: 'run/Timeline',
    says: 'includes the received payload',
    needs: forOwner,
    async run(stage) {
      const payload = { event: 'exact', nested: { list: [1, 'two', null] }, text: 'Grüße ☂' }
      const { events } = await delivered(stage, {}, payload)
      assertSame(dataOf(events, 'accepted')['payload'], payload, 'the payload of the timeline')
      return `${events.length} events; "accepted" has the payload`
    },
  },
  {
    id: 'limits/Webhook runs one at a time',
    says: 'processed one at a time',
    needs: [...forOwner, 'ownSites'],
    async run(stage) {
      const { runs, arrivals } = await queued(stage)
      const inTime = arrivals.toSorted((a, b) => a.from - b.from)
      const overlap = inTime.find(({ from }, index) => index > 0 && from < (inTime[index - 1]?.until ?? 0))
      assert(!overlap, 'the site got two calls at the same time')
      for (const [index, run] of runs.entries()) {
        const before = runs[index - 1]
        assert(!before || String(before['endedAt']) <= String(run['startedAt']), `run ${index + 1} began too early`)
      }
      return `${runs.length} runs, each began after the end of the one before; no two calls at the same time`
    },
  },
  {
    id: 'limits/Webhook runs in order',
    says: 'queued in order of arrival',
    needs: [...forOwner, 'ownSites'],
    async run(stage) {
      const { receipts, runs, arrivals } = await queued(stage)
      assertSame(
        receipts.map(({ sequence }) => sequence),
        [1, 2, 3, 4],
        'the order of the receipts',
      )
      assertSame(numbersOf(arrivals), [1, 2, 3, 4], 'the order of the calls at the site')
      const starts = runs.map(({ startedAt }) => String(startedAt))
      assertSame(starts, starts.toSorted(), 'the order of the starts')
      return 'deliveries 1 to 4 reached the site as 1 to 4'
    },
  },
]
