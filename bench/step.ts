import { join } from 'node:path'
import * as vault from '../api/vault.ts'
import { createCertificates } from '../bin/local/certificates.ts'
import { startChatServer } from '../test/helpers/chat-server.ts'
import { call } from '../test/helpers/client.ts'
import { startPageSite } from '../test/helpers/page-site.ts'
import { agentOf, customer } from '../test/helpers/people.ts'
import { start } from '../test/helpers/runs.ts'
import { inMilliseconds, measureInTurn, timeRows, type Measured } from './shared/compare.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { writeModelsFile } from './shared/models-file.ts'
import { numbersGiven } from './shared/options.ts'
import { publish } from './shared/report.ts'
import { openBenchServers } from './shared/servers.ts'
import { openSdk } from './step/sdk.ts'
import { openSteps, type Timed } from './step/steps.ts'

/**
 * `npm run bench -- step [--rounds 5] [--steps 40]`: the overhead of a step on an idle system: from its start until the
 * request arrives at the provider, and from the answer until the step is recorded. It is compared, in turn, with the
 * same request through the AI SDK, which records nothing. The provider is in this process, so its own work counts on
 * both sides. Postgres waits for its disk, as in production. Temporal is not included: the activity is called directly.
 */
const { rounds, steps: count } = numbersGiven({ rounds: 5, steps: 40 })

const partsOf = {
  before: ({ before }: Timed) => before,
  after: ({ after }: Timed) => after,
  together: ({ before, after }: Timed) => before + after,
}

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
  const [first] = await steps.measure(1)
  await steps.measure(10)
  await sdk.measure(10)
  const sides = [
    { name: 'Switchyard', measure: () => steps.measure(count) },
    { name: 'the AI SDK alone', measure: () => sdk.measure(count) },
  ]
  const measured = await measureInTurn(sides, rounds, (times) => inMilliseconds(times.map(partsOf.together)))
  publish({
    title: 'A step beside its model',
    text: [
      `What a step takes on an idle system besides the time of its provider: ${rounds * count} steps on each side, in ` +
        `${rounds} rounds, in which both take turns. A step of Switchyard sends the transcript of a run that reads ` +
        'pages, and records the answer in Postgres. The AI SDK sends a short prompt with the same tool, and records ' +
        'nothing. Temporal is not included. The ratio divides the median time of Switchyard by that of the line.',
    ],
    columns: ['side', 'what', 'median ms', 'p95 ms', 'ratio'],
    rows: [
      ...rowsOf(measured, 'until the request arrives', partsOf.before),
      ...rowsOf(measured, 'from its answer to the end', partsOf.after),
      ...rowsOf(measured, 'together', partsOf.together),
    ],
    notes: [`The first step of a process: ${first ? partsOf.together(first).toFixed(1) : '?'} ms`],
  })
  await steps.close()
} finally {
  await servers.close()
  await provider.close()
  await site.close()
}

function rowsOf(measured: Measured<Timed[]>[], what: string, part: (time: Timed) => number): string[][] {
  const parts = measured.map(({ name, rounds: found }) => ({ name, rounds: found.map((times) => times.map(part)) }))
  return timeRows(parts).map(([name = '', ...figures]) => [name, what, ...figures])
}
