import { chmod, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { ExecutionContext } from 'ava'
import { startCluster, type Cluster } from '../../../bin/cluster/cluster.ts'
import { openDoor } from '../../../bin/cluster/door.ts'
import type { Member as ClusterMember } from '../../../bin/cluster/member.ts'
import { freePorts } from '../../../bin/local/ports.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { ownEnvironment } from '../../helpers/servers.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import type { Door, Member } from './storm.ts'

const limits = ['', '_CHANGES', '_AUTH', '_TRIES', '_BROWSER', '_WEBHOOK', '_WEBHOOK_FAILED'].map((name) => [
  `RATE_LIMIT${name}_PER_${name === '_TRIES' ? 'HOUR' : 'MINUTE'}`,
  '1000000',
])

/** The cluster, of which everything can be struck, and doors for the sites. */
export async function openStage(t: ExecutionContext, say: (text: string) => void) {
  const folder = await temporaryFolder(t)
  // Postgres does not run as root, and must be able to enter.
  await chmod(folder, 0o711)
  const { caFile } = await temporaryCertificates()
  const env = {
    ...Object.fromEntries(limits),
    RATE_LIMIT_CHANGES_PER_DAY: '1000000',
    OUTGOING_PER_MINUTE: '1000000',
    OUTGOING_COUNT_PORTS: 'true',
    ACCESS_TOKEN_SECONDS: '3600',
    DEMO_DIRECTIVES: 'true',
    CANARY_SECONDS: '0',
    SITE_LOOPBACK: 'true',
    SITE_ALLOW: '127.0.0.0/8,::1/128',
    SITE_CA_FILE: caFile,
  }
  const cluster = await startCluster({ folder, env, doors: true, restarts: true, environment: ownEnvironment(), say })
  t.teardown(() => cluster.stop())
  const authorities = await Promise.all([caFile, cluster.certificates.caFile].map((file) => readFile(file, 'utf8')))
  setDefaultCACertificates([...getCACertificates('default'), ...authorities])
  const doors = cluster.members.flatMap(doorsOf)

  return {
    url: cluster.url,
    databaseUrl: cluster.databaseUrl,
    members: cluster.members.map(memberOf),
    doors,
    /** A port that leads to the site at another. */
    async road(site: string, target: number): Promise<number> {
      const [port = 0] = await freePorts(1)
      const door = await openDoor(port, target)
      doors.push({ name: `the road to ${site}`, site, isUp: () => true, ...door })
      return port
    },
    secrets: await secretsOf(folder),
    logs: () => logsOf(cluster),
  }
}

const memberOf = (member: ClusterMember): Member => ({
  name: member.name,
  isUp: () => member.pid() !== undefined,
  kill: () => member.kill(),
  freeze: () => member.signal('SIGSTOP'),
  thaw: () => member.signal('SIGCONT'),
})

const doorsOf = ({ name, doors, pid }: ClusterMember): Door[] =>
  Object.entries(doors).map(([to, door]) => ({ name: `${name} and ${to}`, isUp: () => pid() !== undefined, ...door }))

/** The keys and passwords that the cluster was started with. */
async function secretsOf(folder: string): Promise<{ name: string; value: string }[]> {
  const names = await readdir(join(folder, 'secrets'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, 'secrets', name), 'utf8')))
  return texts.flatMap((text, index) =>
    (text.match(/[\w+/=-]{24,}/g) ?? []).map((value) => ({ name: names[index] ?? '', value })),
  )
}

async function logsOf({ logFolder }: Cluster): Promise<{ name: string; text: string }[]> {
  const names = await readdir(logFolder)
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(logFolder, name), 'utf8') })))
}
