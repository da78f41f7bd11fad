import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { readServices } from '../compose.ts'
import { createCertificates } from '../local/certificates.ts'
import { freePorts } from '../local/ports.ts'
import type { Program } from '../local/program.ts'
import type { Door } from './door.ts'
import { openFolder, openSecrets } from './folder.ts'
import { createMember, type Member } from './member.ts'
import type { ClusterOptions } from './options.ts'

const composeFile = new URL('../../docker-compose.yml', import.meta.url)

export type Ground = Awaited<ReturnType<typeof openGround>>

/** What all parts of a cluster need before the first program starts. */
export async function openGround(options: ClusterOptions & { code: string }) {
  const { folder, fresh = false, apis = 2, workers = 3, code, restarts = false, say = () => undefined } = options
  const local = readLocalConfig(options.environment)
  // Whoever starts docker-compose.yml has to choose. Here, no money moves.
  const services = readServices(readFileSync(composeFile, 'utf8'), { BILLING: 'sandbox', ...local.environment })
  const environment = withoutSettings(local.environment, services['api']!.environment)
  const opened = await openFolder(folder, fresh, environment)
  const secrets = await openSecrets(folder, environment)
  const members: Member[] = []
  const ports = await freePorts(30 + 4 * apis + 3 * workers)
  const logFolder = join(folder, 'logs')

  function add(program: (code: string) => Program, doors: Record<string, Door> = {}): Member {
    const member = createMember({ record: opened.record, logFolder, restarts, say, code, program, doors })
    members.push(member)
    return member
  }

  return {
    folder,
    home: opened.home,
    owner: opened.owner,
    record: opened.record,
    logFolder,
    local: { ...local, environment },
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
    stop: async (): Promise<void> => {
      for (const member of members.toReversed()) await member.stop()
      opened.close()
    },
  }
}

/** A setting in the environment would contradict that of docker-compose.yml, which may be a file. */
function withoutSettings(environment: Record<string, string>, set: Record<string, string>): Record<string, string> {
  const names = new Set(Object.keys(set).map((name) => name.replace(/_FILE$/, '')))
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !names.has(name.replace(/_FILE$/, ''))))
}
