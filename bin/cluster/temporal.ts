import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { whenAnswering, type Program } from '../local/program.ts'
import { askPort } from './ask-port.ts'
import { moved, type Service } from '../compose.ts'
import type { Secrets } from './folder.ts'

const deploy = fileURLToPath(new URL('../../deploy/temporal', import.meta.url))

interface TemporalOptions {
  services: Record<string, Service>
  /** The folder with the server and its schema tool, and Temporal's command line. */
  programs: string
  commandLine: string
  folder: string
  postgresPort: number
  /** The folder with the passwords. */
  secrets: Secrets
  /** The frontend's port, and eight others. */
  ports: number[]
  environment: Record<string, string>
}

/** The production server on Postgres, and the jobs before and after its start. */
export function productionTemporal(options: TemporalOptions) {
  const { services, programs, commandLine, folder, postgresPort, secrets, ports, environment } = options
  const address = `127.0.0.1:${ports[0]}`
  const places = {
    postgres: '127.0.0.1',
    'temporal:7233': address,
    '/deploy/': `${deploy}/`,
    '/run/secrets': secrets.folder,
  }
  const of = (name: string): Record<string, string> => ({
    ...environment,
    ...moved(services[name]!.environment, places),
    DB: 'postgres12',
    DB_PORT: String(postgresPort),
    BIND_ON_IP: '127.0.0.1',
  })

  async function job(name: string, script: string, env: Record<string, string>): Promise<void> {
    const PATH = [programs, join(folder, 'bin'), environment['PATH']].join(':')
    const result = await execa('sh', [join(deploy, script)], {
      env: { ...of(name), ...env, PATH },
      extendEnv: false,
      all: true,
      reject: false,
    })
    if (result.failed)
      throw new Error(`deploy/temporal/${script} failed.\n${result.all.split('\n').slice(-5).join('\n')}`)
  }

  const program: Program = {
    name: 'temporal',
    command: join(programs, 'temporal-server'),
    args: ['start'],
    env: { ...of('temporal'), POSTGRES_PWD: secrets.read('temporal_password'), ...portSettings(ports) },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopSeconds: 30,
    readySeconds: 60,
    ready: whenAnswering(() => askPort(ports[0]!)),
    shown: (line) => (line.includes('"level":"fatal"') ? line : undefined),
  }

  return {
    program,
    migrate: () => job('temporal-schema', 'setup-schema.sh', { SCHEMA_FOLDER: join(programs, 'schema') }),
    async makeNamespace(): Promise<void> {
      // The script calls it by its usual name.
      mkdirSync(join(folder, 'bin'), { recursive: true })
      rmSync(join(folder, 'bin', 'temporal'), { force: true })
      symlinkSync(commandLine, join(folder, 'bin', 'temporal'))
      await job('temporal-namespace', 'setup-namespace.sh', {})
    },
  }
}

/** The four services of the server, each with a port for the others and one to find them. */
function portSettings(ports: number[]): Record<string, string> {
  const names = ['FRONTEND_GRPC', 'FRONTEND_HTTP', 'FRONTEND_MEMBERSHIP', 'HISTORY_GRPC', 'HISTORY_MEMBERSHIP']
  const others = ['MATCHING_GRPC', 'MATCHING_MEMBERSHIP', 'WORKER_GRPC', 'WORKER_MEMBERSHIP']
  return Object.fromEntries([...names, ...others].map((name, index) => [`${name}_PORT`, String(ports[index])]))
}
