import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import * as billing from '../../api/billing.ts'
import { call, type Client } from '../../test/helpers/client.ts'
import { agentOf, ended, person, type Person } from '../../test/helpers/people.ts'
import { start } from '../../test/helpers/runs.ts'
import { ask, type Start } from '../shared/child.ts'
import { median } from '../shared/statistics.ts'

export interface Figures {
  /** The 95th percentile of small requests. */
  requestMs: number
  /** The median from acceptance to the start of a run. */
  startMs: number
  /** The median from the end of a run to the arrival of its callback. */
  callbackMs: number
}

const runs = 20

/** The free tier's credits last for only nine shares. */
async function subscribe(someone: Person): Promise<void> {
  await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }).then(({ body }) => body)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } }).then(({ body }) => body)
}

/** An owner who does little: small requests all the time, and sometimes a run with a callback. */
export async function openVictim(
  servers: Client,
  receiver: string,
  { receivers, start: startProgram }: { receivers: ChildProcess; start: Start },
) {
  const someone = await person(servers)
  await subscribe(someone)
  const callbackUrl = `${receiver}/endings`
  const agents = await Promise.all([1, 2].map(() => agentOf(someone, { systemPrompt: '[[say done]]', callbackUrl })))
  const arrived = new Map<string, number>()
  receivers.on('message', (message: { at: number; runId: string }) => arrived.set(message.runId, message.at))
  const requests = startProgram('requests', servers.url, (await person(servers)).token)

  async function oneRun(agent: { id: string }) {
    const { id } = (await start(someone, agent)).body
    const { acceptedAt, startedAt, endedAt } = await ended(someone, id, 120)
    const until = Date.now() + 120_000
    while (!arrived.has(id) && Date.now() < until) await delay(20)
    return {
      startMs: Date.parse(String(startedAt)) - Date.parse(acceptedAt),
      callbackMs: (arrived.get(id) ?? until) - Date.parse(String(endedAt)),
    }
  }

  return {
    async measure(): Promise<Figures> {
      await ask(requests, 'look')
      const found: Awaited<ReturnType<typeof oneRun>>[] = []
      for (let number = 0; number < runs; number += 1) found.push(await oneRun(agents[number % 2]!))
      const { p95 } = await ask<{ p95: number }>(requests, 'look')
      return {
        requestMs: p95,
        startMs: median(found.map(({ startMs }) => startMs)),
        callbackMs: median(found.map(({ callbackMs }) => callbackMs)),
      }
    },
    close: () => requests.disconnect(),
  }
}
