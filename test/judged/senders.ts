import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import * as webhooks from '../../api/webhooks.ts'
import { sendRaw } from '../helpers/client.ts'
import type { Chance } from '../money/chance.ts'
import { now, type Group, type Known } from './book.ts'
import { keyOf, type Sent } from './judgements.ts'
import type { Proof } from './states.ts'

/** One delivery of this many goes to an agent that is otherwise idle. */
const quietOneOf = 200

/** The body of one delivery of this many arrives slowly, in milliseconds up to the second number. */
const slowOneOf = 20
const slowestMs = 300

/** One delivery of this many goes to an agent that is being moved, if there is one. */
const hotOneOf = 8

interface Sending {
  url: string
  groups: readonly Group[]
  random: Chance
  connections: number
  isOver: () => boolean
  /** Called with each answered delivery. */
  onDone: (sent: Sent) => void
}

/** Delivers over all connections until it is over, each connection one delivery after the other. */
export async function deliverAll({ url, groups, random, connections, isOver, onDone }: Sending): Promise<Sent[]> {
  const all: Sent[] = []
  const connection = async (): Promise<void> => {
    while (!isOver()) {
      const sent = await send(url, all.length, chooseAgent(groups, random), random, all)
      onDone(sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  return all
}

function chooseAgent(groups: readonly Group[], random: Chance): Known {
  const hot = groups.flatMap(({ agents }) => agents.filter(({ isHot }) => isHot))
  if (hot.length > 0 && random.whole(1, hotOneOf) === 1) return random.of(hot as [Known])
  const { agents } = random.of(groups as [Group])
  const wantsQuiet = random.whole(1, quietOneOf) === 1
  const wanted = agents.filter(({ isQuiet }) => isQuiet === wantsQuiet)
  return random.of((wanted.length > 0 ? wanted : agents) as [Known])
}

/** Mostly what the agent demands now, and sometimes what it demanded before or may demand soon. */
function chooseProof({ facts, secrets }: Known, random: Chance): { secret: string; proofs: Proof[] } {
  const secret = random.whole(1, 10) <= 7 ? facts.secret : random.of(secrets as [string])
  const other = facts.proof === 'secret' ? ('github' as const) : ('secret' as const)
  return { secret, proofs: random.whole(1, 10) <= 7 ? [facts.proof] : [other] }
}

async function send(url: string, number: number, agent: Known, random: Chance, all: Sent[]): Promise<Sent> {
  const chosen = chooseProof(agent, random)
  const hasLabel = random.whole(1, 2) === 1
  const body = JSON.stringify({ number, ...(hasLabel && { label: 'A label' }) })
  const sent: Sent = { number, agentId: agent.id, hasLabel, ...chosen, from: now(), until: Infinity, outcome: 'lost' }
  all.push(sent)
  const path = webhooks.receiveWebhook.path.replace('{agentId}', agent.id)
  const { status, bytes } = await sendRaw(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': keyOf(sent),
      ...(chosen.proofs.includes('secret') && { 'x-webhook-secret': chosen.secret }),
      ...(chosen.proofs.includes('github') && { 'x-hub-signature-256': signature(chosen.secret, body) }),
    },
    body: random.whole(1, slowOneOf) === 1 ? Readable.from(slowly(body, random, sent)) : body,
  })
  sent.until = now()
  const { runId, sequence, code } = JSON.parse(bytes.toString()) as { runId: string; sequence: number; code?: string }
  sent.outcome = status === 202 ? 'accepted' : (code ?? `status ${status}`)
  if (status === 202) sent.receipt = { runId, sequence }
  return sent
}

/** A delivery is judged by the state after its body, so its time begins with the rest of it. */
async function* slowly(body: string, random: Chance, sent: Sent): AsyncGenerator<string> {
  yield body.slice(0, 1)
  await delay(random.whole(0, slowestMs))
  sent.from = now()
  yield body.slice(1)
}

const signature = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
