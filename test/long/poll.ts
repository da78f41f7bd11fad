import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as moves from '../../api/moves.ts'
import * as runs from '../../api/runs.ts'
import * as webhooks from '../../api/webhooks.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { measured } from '../crash/record.ts'
import { openStage, type Stage } from '../crash/stage.ts'
import { call, type Client } from '../helpers/client.ts'
import { aheadBy } from '../helpers/clock.ts'
import { customer, deliver, runOf, webhookAgent, type Person } from '../helpers/people.ts'
import { startProcess } from '../helpers/processes.ts'
import { workspaceOf } from '../helpers/workspaces.ts'
import { progressOf } from '../helpers/progress.ts'

/*
 * Programs that read what is new, by the manual's recipe and by times, over two API processes whose clocks are apart, while
 * agents are moved. It takes some minutes, so that it is not one of the tests that always run: npm run long -- poll
 */
const apartMs = 200
const agentCount = 20
const rounds = 125
/** In each round one at each API. */
const all = agentCount * rounds * 2

type Agent = Awaited<ReturnType<typeof webhookAgent>>
type Place = { workspaceId?: string }

/** An API on a machine whose clock is that much ahead. */
async function startApi(t: ExecutionContext, { environment }: Stage, ms: number): Promise<string> {
  const [port = 0] = await freePorts(1)
  await startProcess(t, 'api', { ...environment, PORT: String(port), ...aheadBy(ms) })
  return `http://127.0.0.1:${port}`
}

/** Delivers, and withdraws again, so that the agent can be moved although nothing runs it. */
async function sendOnce(client: Client, agent: Agent, payload: object): Promise<string> {
  const { runId } = (await deliver(client, agent, payload)).body
  const params = { agentId: agent.id, runId }
  const headers = { 'x-webhook-secret': agent.webhookSecret }
  const { status } = await call({ url: client.url }, webhooks.withdrawDelivery, { params, headers })
  if (status !== 200) throw new Error(`A delivery was not withdrawn: ${status}`)
  return runId
}

interface Reader {
  /** Every run that it was shown, as often as it was. */
  seen: string[]
  read: (client: Client) => Promise<void>
}

/** The manual's: in the order of arrival, on with each cursor until a page is empty. */
function byArrival(place: Place): Reader {
  const seen: string[] = []
  let cursor: string | undefined
  const read = async (client: Client): Promise<void> => {
    const query = { ...place, order: 'arrival', limit: '100', ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = (await call(client, runs.listRuns, { query })).body
    seen.push(...items.map(({ id }) => id))
    cursor = nextCursor ?? undefined
    if (items.length > 0) await read(client)
  }
  return { seen, read }
}

/** What programs do that know times only: all pages since the newest time that they have seen, without what they know. */
function byTime(place: Place): Reader {
  const seen = new Set<string>()
  let since: string | undefined
  const read = async (client: Client): Promise<void> => {
    const query = { ...place, limit: '100', ...(since !== undefined && { since }) }
    let newest = since
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = (await call(client, runs.listRuns, { query: { ...query, ...(cursor && { cursor }) } })).body
      for (const { id, acceptedAt } of page.items) {
        seen.add(id)
        if (newest === undefined || acceptedAt > newest) newest = acceptedAt
      }
      cursor = page.nextCursor
    }
    since = newest
  }
  return {
    get seen() {
      return [...seen]
    },
    read,
  }
}

/** Reads at one API and then at the other, until it is told to stop, and once more. */
async function keepReading({ read }: Reader, clients: Client[], signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    await read(clients[turn % clients.length] as Client)
    await delay(20)
  }
}

/** Sends its share of the deliveries. Each fifth round the agent is moved meanwhile, unless a delivery is quicker. */
async function busyAgent(agent: Agent, clients: Person[], workspaceId: string, noted: () => void) {
  const [here, there] = clients as [Person, Person]
  const sent: string[] = []
  let moved = 0
  for (let round = 0; round < rounds; round += 1) {
    const body = { agentIds: [agent.id], ...(moved % 2 === 0 && { workspaceId }) }
    const moving = round % 5 === 4 ? call(round % 2 ? here : there, moves.moveThings, { body }) : undefined
    sent.push(...(await Promise.all(clients.map((client) => sendOnce(client, agent, { round })))))
    const answer = await moving
    if (answer?.status === 200) moved += 1
    else if (answer && answer.failure.code !== 'AGENT_ALREADY_RUNNING') throw new Error(answer.failure.error)
    noted()
  }
  return { sent, moved }
}

// @promise lists
test('5,000 deliveries over two APIs with clocks apart, while agents are moved: who follows the lists misses none', async (t) => {
  t.timeout(20 * 60_000)
  const stage = await openStage(t, { env: { RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000' } })
  const someone = await customer(stage.platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(someone)
  const agents: Agent[] = []
  for (let number = 0; number < agentCount; number += 1) agents.push(await webhookAgent(someone))
  const urls = [await startApi(t, stage, 0), await startApi(t, stage, apartMs)]
  const clients = urls.map((url): Person => ({ ...someone, url }))

  const places: Place[] = [{}, { workspaceId }]
  const [followers, others] = [places.map(byArrival), places.map(byTime)]
  const enough = new AbortController()
  const reading = [...followers, ...others].map((reader) => keepReading(reader, clients, enough.signal))
  const began = Date.now()
  const noted = progressOf('rounds', agentCount * rounds, 500)
  const busy = await Promise.all(agents.map((agent) => busyAgent(agent, clients, workspaceId, noted)))
  const seconds = Math.round((Date.now() - began) / 1000)
  await delay(2000)
  enough.abort()
  await Promise.all(reading)
  for (const { read } of followers) await read(clients[0] as Client)

  const sent = busy.flatMap(({ sent: runIds }) => runIds)
  t.is(new Set(sent).size, all)
  const moved = busy.reduce((sum, one) => sum + one.moved, 0)
  t.true(moved > agentCount, 'agents were moved')
  const missedBy = (readers: Reader[]): string[] => {
    const seen = new Set(readers.flatMap((reader) => reader.seen))
    return sent.filter((id) => !seen.has(id))
  }
  measured(t, `${all} deliveries in ${seconds} s, ${moved} moves`)
  measured(t, `missed in the order of arrival: ${missedBy(followers).length}, by times: ${missedBy(others).length}`)
  t.deepEqual(missedBy(followers), [])
  t.is(followers.flatMap(({ seen }) => seen).length, all, 'and nobody is shown one twice')
  t.true((followers[1]?.seen.length ?? 0) > 0, 'some were of the workspace')
  await assertTogether(t, clients, agents[0] as Agent)
})

/** Both APIs tell the database's time, here this machine's: the quickest of ten deliveries shows how far one is ahead. */
async function assertTogether(t: ExecutionContext, clients: Person[], agent: Agent): Promise<void> {
  for (const [index, client] of clients.entries()) {
    const leads: number[] = []
    for (let number = 0; number < 10; number += 1) {
      const runId = await sendOnce(client, agent, { number })
      const after = Date.now()
      leads.push(Date.parse((await runOf(client, runId)).acceptedAt) - after)
    }
    const lead = Math.max(...leads)
    t.true(lead < apartMs / 4, `the time of API ${index} is ${lead} ms ahead`)
  }
}
