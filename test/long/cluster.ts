// @promise deploys
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { startCluster, type Cluster } from '../../bin/cluster/cluster.ts'
import { writeDatabaseUrl } from '../../bin/cluster/folder.ts'
import { root } from '../../bin/cluster/processes.ts'
import { measured } from '../crash/record.ts'
import { assertSpared } from '../crash/rolling/assert-spared.ts'
import { startTraffic } from '../crash/rolling/load.ts'
import { codeOf, previousRelease } from '../crash/rolling/old-release.ts'
import { eventually } from '../helpers/eventually.ts'
import { ownEnvironment } from '../helpers/servers.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { trustingFetch } from '../helpers/trusting-fetch.ts'

/*
 * A rolling upgrade of what docker-compose.yml describes, behind Caddy, from the previous release to this one. The old
 * processes are connected to Postgres directly, because their rate limits fail behind PgBouncer; the new ones use it. Then
 * every process is replaced once more. It takes some minutes: npm run long -- cluster
 */
test('a rolling upgrade of the cluster fails no request, resumes every stream, and loses and reorders nothing', async (t) => {
  t.timeout(20 * 60_000)
  const code = await codeOf(t, previousRelease)
  const folder = await temporaryFolder(t)
  const cluster = await openCluster(t, folder, code)
  const send = balancerOf(t, cluster)
  const { load, stop } = await startTraffic({ send })
  t.teardown(() => void stop())
  await delay(5000)
  measured(t, `before: ${load.requests} requests. ${await cluster.migrate(root)}`)
  await delay(2000)
  for (const { name } of processesOf(cluster)) writeDatabaseUrl(folder, name, cluster.pooledUrl)
  await replaceAll(cluster)
  const afterUpgrade = load.failures.length
  measured(t, `upgraded: ${load.requests} requests, ${load.resumed} streams resumed`)
  await delay(3000)
  await replaceAll(cluster)
  await delay(3000)
  await stop()
  await assertSpared(t, { load, databaseUrl: cluster.databaseUrl, afterUpgrade })
  await assertLogKeepsNoSecrets(t, cluster, send)
})

async function openCluster(t: ExecutionContext, folder: string, code: string): Promise<Cluster> {
  // Postgres does not run as root, and must be able to enter.
  await chmod(folder, 0o711)
  const limits = ['', '_AUTH', '_CHANGES', '_WEBHOOK'].map((name) => [`RATE_LIMIT${name}_PER_MINUTE`, '100000'])
  const env = {
    ...Object.fromEntries(limits),
    ACCESS_TOKEN_SECONDS: '3600',
    SHUTDOWN_SECONDS: '20',
    CANARY_SECONDS: '0',
  }
  const settings = { ...env, DEMO_DIRECTIVES: 'true' }
  const cluster = await startCluster({ folder, code, env: settings, pooled: false, environment: ownEnvironment() })
  t.teardown(() => cluster.stop())
  return cluster
}

function balancerOf(t: ExecutionContext, { url, certificates }: Cluster) {
  const trusting = trustingFetch(t, certificates.caFile)
  return (path: string, init: RequestInit = {}): Promise<Response> => trusting(`${url}${path}`, init)
}

/** Without any API process, Caddy logs the request that it could not pass on. */
async function assertLogKeepsNoSecrets(
  t: ExecutionContext,
  { members, logFolder }: Cluster,
  send: ReturnType<typeof balancerOf>,
): Promise<void> {
  for (const member of members.filter(({ name }) => name.startsWith('api-'))) await member.stop()
  const headers = { 'x-webhook-secret': 'secret-of-a-webhook', 'x-session-token': 'token-of-a-session' }
  const answer = await send('/api/webhooks/agent/lost?code=code-in-a-query', { method: 'POST', headers, body: '{}' })
  // Whichever comes first: a refused connection, or the health check that finds nobody.
  t.true([502, 503].includes(answer.status), String(answer.status))
  const log = await eventually(10, 'Caddy logs the request', async () => {
    const text = await readFile(join(logFolder, 'caddy.log'), 'utf8')
    return text.includes('/api/webhooks/agent/lost') ? text : undefined
  })
  for (const secret of ['secret-of-a-webhook', 'token-of-a-session', 'code-in-a-query']) t.false(log.includes(secret))
}

const processesOf = ({ members }: Cluster) => members.filter(({ name }) => /^(api|worker)-/.test(name))

/** One after the other, each at its address, with this code. Caddy learns from its health checks. */
async function replaceAll(cluster: Cluster): Promise<void> {
  for (const member of processesOf(cluster)) await member.restart(root)
}
