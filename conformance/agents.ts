import type { Answer, Client, Json } from './client.ts'
import { accepted } from './expect.ts'
import type { Person } from './people.ts'
import { until } from './until.ts'

/** Long enough for a busy machine. */
const runSeconds = 90

const plain = { name: 'Conformance', systemPrompt: '[[say Done.]]', trigger: 'manual' }

export const createAgent = (client: Client, { token }: Pick<Person, 'token'>, fields: Json = {}): Promise<Answer> =>
  client.send({ method: 'POST', url: '/agents', token, body: { ...plain, ...fields } })

export const agentOf = async (client: Client, person: Person, fields: Json = {}): Promise<Json> =>
  accepted(await createAgent(client, person, fields), 201)

export const webhookAgent = (client: Client, person: Person, fields: Json = {}): Promise<Json> =>
  agentOf(client, person, { trigger: 'webhook', ...fields })

export const startRun = (client: Client, { token }: Person, agent: Json, body: Json = {}): Promise<Answer> =>
  client.send({ method: 'POST', url: `/agents/${String(agent['id'])}/runs`, token, body })

export const runsOf = async (client: Client, { token }: Person, agent: Json): Promise<Json[]> =>
  accepted(await client.send({ url: `/agents/${String(agent['id'])}/runs`, token }))['items'] as Json[]

interface Delivery {
  /** The URL of the agent's webhook; by default that of the specification. */
  url?: string
  payload?: unknown
  secret?: string | undefined
  headers?: Record<string, string>
  takesLimits?: boolean
}

/** `{base_url}/api/webhooks/agent/{agent_id}` (docs/specification.md). */
export const webhookUrlOf = ({ base }: Client, agent: Json): string =>
  new URL(`/api/webhooks/agent/${String(agent['id'])}`, base).href

/** Posts to an agent's webhook, by default with the agent's secret. */
export function deliver(client: Client, agent: Json, given: Delivery = {}): Promise<Answer> {
  const { payload = {}, secret = String(agent['webhookSecret']), headers, takesLimits = false } = given
  const { url = webhookUrlOf(client, agent) } = given
  const all = { ...(secret !== '' && { 'x-webhook-secret': secret }), ...headers }
  const body = typeof payload === 'string' ? { raw: payload } : { body: payload }
  return client.send({ method: 'POST', url, headers: all, takesLimits, ...body })
}

export async function finished(client: Client, person: Person, agent: Json): Promise<Json> {
  const { id } = accepted(await startRun(client, person, agent), 202)
  return ended(client, person, id)
}

export function ended(client: Client, { token }: Person, runId: unknown): Promise<Json> {
  return until(runSeconds, 'the run has ended', async () => {
    const run = accepted(await client.send({ url: `/runs/${String(runId)}`, token }))
    return run['endedAt'] === null ? undefined : run
  })
}

export interface TimelineEvent {
  kind: string
  at: string
  data: Json
}

export async function timelineOf(client: Client, { token }: Person, runId: unknown): Promise<TimelineEvent[]> {
  const page = accepted(await client.send({ url: `/runs/${String(runId)}/events?limit=1000`, token }))
  return page['items'] as TimelineEvent[]
}

/** The data of the first event of a kind. */
export const dataOf = (events: readonly TimelineEvent[], kind: string): Json =>
  events.find((event) => event.kind === kind)?.data ?? {}
