import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalConfig, type LocalConfig } from '../../src/config/local-config.ts'
import { readServices, type Service } from '../compose.ts'
import { createCertificates } from '../local/certificates.ts'
import { requirePrograms } from '../local/needed-programs.ts'
import { freePorts, portProblems } from '../local/ports.ts'
import type { Program } from '../local/program.ts'
import type { Door } from './door.ts'
import { openFolder, openSecrets } from './folder.ts'
import { createMember, type Member } from './member.ts'
import type { ClusterOptions } from './options.ts'

const composeFile = new URL('../../docker-compose.yml', import.meta.url)

/** Go and Python are only needed once, and asked for then. */
const needed = { psql: 'postgresql-client', pgbouncer: 'pgbouncer', openssl: 'openssl' }

type GroundOptions = ClusterOptions & { code: string }

type Opened = Awaited<ReturnType<typeof openFolder>> & { local: LocalConfig; services: Record<string, Service> }

export type Ground = Awaited<ReturnType<typeof openGround>>

/** What all parts of a cluster need before the first program starts. Whoever has it must stop it. */
export async function openGround(options: GroundOptions) {
  const { folder, fresh = false } = options
  const local = readLocalConfig(options.environment)
  // Whoever starts docker-compose.yml has to choose. Here, no money moves.
  const services = readServices(readFileSync(composeFile, 'utf8'), { BILLING: 'sandbox', ...local.environment })
  const environment = withoutSettings(local.environment, services['api']!.environment)
  await requirePrograms(needed, environment)
  const opened = await openFolder(folder, fresh, environment)
  try {
    await requirePort(options.port)
    return await layGround(options, { ...opened, local: { ...local, environment }, services })
  } catch (error) {
    opened.close()
    throw error
  }
}

/** Caddy would only find out after everything else has started. */
async function requirePort(port: number | undefined): Promise<void> {
  if (port === undefined) return
  const problems = await portProblems([{ port, use: 'Caddy', variable: '--port' }])
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function layGround(
  { folder, apis = 2, workers = 3, code, restarts = false, say = () => undefined }: GroundOptions,
  { home, owner, record, local, services, close }: Opened,
) {
  const { environment } = local
  const secrets = await openSecrets(folder, environment)
  const members: Member[] = []
  const ports = await freePorts(30 + 4 * apis + 3 * workers)
  const logFolder = join(folder, 'logs')

  function add(program: (code: string) => Program, doors: Record<string, Door> = {}): Member {
    const member = createMember({ record, logFolder, restarts, say, code, program, doors })
    members.push(member)
    return member
  }

  return {
    folder,
    home,
    owner,
    record,
    logFolder,
    local,
    environment,
    services,
    secrets,
    certificates: await createCertificates(join(folder, 'certificates')),
    members,
    say,
    /** Ports that nothing else gets while this process lives. */
    takePorts: (count: number): number[] => ports.splice(0, count),
    takePort: (): number => ports.shift()!,
    /** Makes a member of the program, whose code may be replaced. */
    add,
    /** Ends all members, the last added first, and releases the folder. */
    stop: async (): Promise<void> => {
      try {
        for (const member of members.toReversed()) await member.stop()
        for (const door of members.flatMap(({ doors }) => Object.values(doors))) await door.cut()
      } finally {
        close()
      }
    },
  }
}

/** A setting in the environment would contradict that of docker-compose.yml, which may be a file. */
function withoutSettings(environment: Record<string, string>, set: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(set).map((name) => name.replace(/_FILE$/, '')))
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name.replace(/_FILE$/, ''))))
}
