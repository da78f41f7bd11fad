import type { Answer, Client } from './client.ts'
import { accepted, outcomeOf } from './expect.ts'

/** A server that does not answer a probe in this time would not answer any row. */
const probeSeconds = 20

/** Throws a sentence unless a ready Switchyard answers at the base URL. */
export async function assertSwitchyard(client: Client): Promise<void> {
  const answer = await client.send({ url: '/readyz' }, { seconds: probeSeconds })
  const problem = problemOf(answer)
  if (problem !== undefined) throw new Error(`${problem} (GET /readyz: ${outcomeOf(answer)})`)
}

function problemOf({ status, headers, json }: Answer): string | undefined {
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) return redirected(location)
  if (typeof json['code'] === 'string') return 'Switchyard is not ready.'
  if (json['status'] !== 'ok' || json['temporal'] === undefined) return 'The server at this address is not Switchyard.'
  return json['temporal'] === 'reachable' ? undefined : 'Switchyard cannot reach Temporal: no run would start.'
}

function redirected(location: string): string {
  const to = URL.canParse(location) ? new URL(location).origin : 'another address'
  return `The server there redirects to ${to}. Give the address of Switchyard itself.`
}

/** Whether there are tiers and payments. Without them (BILLING=off), the list of tiers is empty. */
export async function hasPayments(client: Client): Promise<boolean> {
  const { items } = accepted(await client.send({ url: '/billing/tiers' }))
  return !Array.isArray(items) || items.length > 0
}
