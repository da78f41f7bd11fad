import { join } from 'node:path'
import * as vault from '../api/vault.ts'
import { createCertificates } from '../bin/local/certificates.ts'
import { startChatServer } from '../test/helpers/chat-server.ts'
import { call } from '../test/helpers/client.ts'
import { startPageSite } from '../test/helpers/page-site.ts'
import { agentOf, customer } from '../test/helpers/people.ts'
import { start } from '../test/helpers/runs.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { writeModelsFile } from './shared/models-file.ts'
import { openBenchServers } from './shared/servers.ts'
import { median, percentile } from './shared/statistics.ts'
import { openSdk } from './step/sdk.ts'
import { openSteps } from './step/steps.ts'

/**
 * `npm run bench -- step`: the overhead of a step on an idle system: from its start until the request arrives at the
 * provider, and from the answer until the step is recorded. It is compared, in turn, with the same request through the
 * AI SDK, which records nothing. The provider is in this process, so its own work counts on both sides. Postgres waits
 * for its disk, as in production. Temporal is not included: the activity is called directly.
 */
const [rounds, count, goalMs] = [5, 40, 20]

const certificates = await createCertificates(join(folder, 'certificates'))
const site = await startPageSite(certificates, 2000)
let page = 0
const provider = await startChatServer(() => {
  page += 1
  return { text: `I read page ${page}.`, calls: [{ name: 'read_page', arguments: `{"page":${page}}` }] }
})
const servers = await openBenchServers(folder, false, {
  MODELS_FILE: writeModelsFile(folder, provider.url, 128_000),
  SITE_ALLOW: new URL(site.origin).host,
  SITE_CA_FILE: certificates.caFile,
  OUTGOING_PER_MINUTE: '1000000000',
  RUN_STEPS: '10000',
  RUN_TOOL_CALLS: '10000',
  RUN_TOKENS: '1000000000',
  RUN_CREDITS: '1000000000',
})
try {
  const owner = await customer(servers, 'enterprise')
  const entry = await call(owner, vault.addToVault, { body: { url: site.origin, token: 'any' } })
  const agent = await agentOf(owner, { systemPrompt: 'Read all pages.', sites: [{ vaultEntryId: entry.body.id }] })
  await start(owner, agent)
  const steps = await openSteps(agent.id, provider, servers.env)
  const sdk = openSdk(provider)
  // As workers do at startup.
  await steps.warmUp()
  console.log(`the first step of the process: ${sentence(await steps.measure(1))}`)
  await steps.measure(10)
  await sdk.measure(10)
  const ratios: number[] = []
  const all: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const ours = await steps.measure(count)
    const theirs = await sdk.measure(count)
    const together = ours.map(({ before, after }) => before + after)
    ratios.push(median(together) / median(theirs.map(({ before, after }) => before + after)))
    all.push(...together)
    console.log(`round ${round}: ${sentence(ours)}; the AI SDK alone: ${sentence(theirs)}`)
  }
  const typical = median(all)
  console.log(`a step beside its provider: median ${typical.toFixed(1)} ms, p95 ${p95(all)} ms (goal ${goalMs} ms)`)
  console.log(`median ratio to the AI SDK alone: ${median(ratios).toFixed(1)}`)
  await steps.close()
  if (typical > goalMs) process.exitCode = 1
} finally {
  await servers.close()
  await provider.close()
  await site.close()
}

function sentence(times: { before: number; after: number }[]): string {
  const before = times.map((one) => one.before)
  const after = times.map((one) => one.after)
  return (
    `until the request arrived ${median(before).toFixed(1)} ms (p95 ${p95(before)}), ` +
    `from its answer ${median(after).toFixed(1)} ms (p95 ${p95(after)})`
  )
}

function p95(numbers: number[]): string {
  return percentile(numbers, 0.95).toFixed(1)
}
