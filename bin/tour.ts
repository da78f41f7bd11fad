import { setTimeout as delay } from 'node:timers/promises'
import type { Addresses } from './local/stack.ts'
import { ask, send, type Json } from './tour/client.ts'
import { inWords } from './tour/event-line.ts'
import {
  callsAtTracker,
  connectIssueTracker,
  createTourAgent,
  deliverPost,
  openAccount,
  readAddresses,
} from './tour/job.ts'

/**
 * The main use case over public HTTP: a webhook starts a durable run of an agent, which calls a tool of a connected
 * site. Needs `npm start` in another terminal. Safe to repeat.
 */

/** Enough for a slow machine; a tour takes a second or two. */
const timeoutMs = 60_000

async function tour(): Promise<void> {
  const addresses = readAddresses()
  const { api } = addresses
  chapter('1. An account that has accepted the terms and can use webhooks')
  const token = await openAccount(api, 'tour', ask)
  chapter('2. A site, connected with a token that its user generated there')
  console.log(`(ada generates a token at ${addresses.sites[0] ?? ''}/settings)`)
  const vaultEntryId = await connectIssueTracker(addresses, token, ask)
  chapter('3. An agent started by webhooks')
  const agent = await createTourAgent(api, token, { vaultEntryId }, ask)
  chapter('4. A delivery from a sender without an account')
  const receipt = await deliverPost(agent, ask)
  chapter('5. The run, followed to its end')
  await follow(api, token, String(receipt['runId']))
  chapter('6. What the site itself logged')
  await showSiteLog(addresses, String(receipt['runId']))
  console.log(`\nThe run in the Temporal UI: ${addresses.temporalUi ?? '(no UI)'}/namespaces/default/workflows`)
}

function chapter(title: string): void {
  console.log(`\n━━ ${title}`)
}

async function follow(api: string, token: string, runId: string): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let seen = 0
  for (;;) {
    const events = await send({ method: 'GET', url: `${api}/runs/${runId}/events?after=${seen}`, token })
    for (const event of events['items'] as { number: number; kind: string; data: Json }[]) {
      seen = event.number
      console.log(inWords(event))
      if (event.kind === 'ended') return assertCompleted(event.data)
    }
    if (Date.now() > deadline) throw new Error('The run did not end in time. See .data/logs/worker.log.')
    await delay(200)
  }
}

function assertCompleted(data: Json): void {
  if (data['status'] !== 'completed') throw new Error(`The run ended with the status ${String(data['status'])}.`)
}

async function showSiteLog(addresses: Addresses, runId: string): Promise<void> {
  const calls = await callsAtTracker(addresses, runId)
  for (const call of calls) console.log(JSON.stringify(call))
  if (!calls.some(({ tool }) => tool === 'issues.createIssue')) throw new Error('The site did not get the call.')
}

try {
  await tour()
  console.log('\nThat was the tour. Everything above used only the public HTTP interfaces.')
} catch (error) {
  console.error(`\nThe tour stopped: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
