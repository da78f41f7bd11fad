import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as vault from '../api/vault.ts'
import { createCertificates } from '../bin/local/certificates.ts'
import { startChatServer } from '../test/helpers/chat-server.ts'
import { call } from '../test/helpers/client.ts'
import { startPageSite } from '../test/helpers/page-site.ts'
import { agentOf, customer, runOf } from '../test/helpers/people.ts'
import { start } from '../test/helpers/runs.ts'
import { executionsOf } from './long-run/executions.ts'
import { printPrompts, printSpeed, type Asked } from './long-run/print.ts'
import { writeModelsFile } from './models-file.ts'
import { openBenchServers } from './servers.ts'

/**
 * `npm run bench:long-run [-- <steps>]`: one run of 1,000 steps, each with a tool call whose result has 20 KB. Prints
 * what Temporal keeps of it, execution by execution; how long the prompts were against the model's window; and how fast
 * early and late steps were. Fails if a prompt was longer than the window, or the run was not completed.
 */
const steps = Number(process.argv[2] ?? 1000)
const resultBytes = 20_000
const contextTokens = 128_000
const large = '1000000000'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
// If we are root, Postgres runs as another user, which must get through.
chmodSync(folder, 0o711)
const certificates = await createCertificates(join(folder, 'certificates'))
const site = await startPageSite(certificates, resultBytes)
const asked: Asked[] = []
const provider = await startChatServer((_, bytes) => {
  // Four bytes a token, like English text with most tokenizers.
  const inputTokens = Math.ceil(bytes / 4)
  asked.push({ at: performance.now(), inputTokens })
  const page = asked.length
  if (page >= steps) return { text: 'All is read.', inputTokens }
  return { text: `I read page ${page}.`, calls: [{ name: 'read_page', arguments: `{"page":${page}}` }], inputTokens }
})
const servers = await openBenchServers(folder, true, {
  MODELS_FILE: writeModelsFile(folder, provider.url, contextTokens),
  SITE_ALLOW: new URL(site.origin).host,
  SITE_CA_FILE: certificates.caFile,
  ACCESS_TOKEN_SECONDS: '3600',
  OUTGOING_PER_MINUTE: large,
  RUN_STEPS: '10000',
  RUN_TOOL_CALLS: '10000',
  RUN_TOKENS: large,
  RUN_CREDITS: large,
  RUN_MINUTES: '1000',
})
try {
  const owner = await customer(servers, 'enterprise')
  const entry = await call(owner, vault.addToVault, { body: { url: site.origin, token: 'any' } })
  const agent = await agentOf(owner, { systemPrompt: 'Read all pages.', sites: [{ vaultEntryId: entry.body.id }] })
  const { id } = (await start(owner, agent)).body
  let run = await runOf(owner, id)
  while (run.endedAt === null) {
    await delay(1000)
    run = await runOf(owner, id)
  }
  console.log(`the run is ${run.status} after ${run.steps} steps and ${run.toolCalls} tool calls`)
  for (const line of await executionsOf(servers.temporal, id, run.steps)) console.log(line)
  printPrompts(asked, contextTokens)
  printSpeed(asked)
  const longest = Math.max(...asked.map(({ inputTokens }) => inputTokens))
  if (run.status !== 'completed' || longest > contextTokens) process.exitCode = 1
} finally {
  await servers.close()
  await provider.close()
  await site.close()
  rmSync(folder, { recursive: true, force: true })
}
