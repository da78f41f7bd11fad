import { join } from 'node:path'
import { whenAnswering, type Program } from '../local/program.ts'
import { showWarnings } from '../local/terminal-output.ts'
import { moved, type Service } from '../compose.ts'

interface ProcessOptions {
  name: string
  service: Service
  /** The folder of the code. */
  code: string
  /** The port of the API, or of the worker's health. */
  port: number
  /** What Compose's names mean here. */
  places: Record<string, string>
  environment: Record<string, string>
  /** Overrides what docker-compose.yml sets. */
  settings: Record<string, string>
}

/**
 * An API or a worker with the command line and the settings of docker-compose.yml. Ready when its health check succeeds.
 */
export function platformProgram({ name, service, code, port, places, environment, settings }: ProcessOptions): Program {
  const [, ...args] = service.command!
  const [, containerPort = '', path = ''] =
    /127\.0\.0\.1:(\d+)(\/\w+)/.exec(service.healthcheck?.test.join(' ') ?? '') ?? []
  const own = Object.entries(moved(service.environment, places)).map(([setting, value]) => [
    setting,
    value === containerPort ? String(port) : value,
  ])
  const env = { ...environment, ...(Object.fromEntries(own) as Record<string, string>), HOST: '127.0.0.1', ...settings }
  return {
    name,
    command: process.execPath,
    args: [...args.slice(0, -1), join(code, args.at(-1)!)],
    env,
    cwd: code,
    stopSignal: 'SIGTERM',
    // stop_grace_period of docker-compose.yml.
    stopSeconds: 30,
    readySeconds: 120,
    ready: whenAnswering(() => assertWell(`http://127.0.0.1:${port}${path}`)),
    shown: showWarnings,
  }
}

async function assertWell(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
}
