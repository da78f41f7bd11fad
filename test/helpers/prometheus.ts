import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { eventually } from './eventually.ts'
import { ownFolder } from './servers.ts'

interface Scraped {
  /** Ports on loopback, by job. */
  jobs: Record<string, number[]>
  token: string
  rulesFile: string
}

export interface Sample {
  metric: Record<string, string>
  value: number
}

export interface FiringAlert {
  labels: Record<string, string>
  annotations: Record<string, string>
  state: 'pending' | 'firing'
}

/** A Prometheus that scrapes and evaluates every second. It ends with the test. */
export async function startPrometheus(t: ExecutionContext, { jobs, token, rulesFile }: Scraped) {
  const [port = 0] = await freePorts(1)
  const folder = ownFolder()
  writeFileSync(join(folder, 'token'), token)
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: Object.entries(jobs).map(([job, ports]) => ({
      job_name: job,
      authorization: { credentials_file: join(folder, 'token') },
      static_configs: [{ targets: ports.map((one) => `127.0.0.1:${one}`) }],
    })),
  }
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(configuration))
  const flags = {
    'config.file': join(folder, 'prometheus.yaml'),
    'storage.tsdb.path': join(folder, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'log.level': 'warn',
  }
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const child = spawn('prometheus', args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`Prometheus refused ${decodeURIComponent(path)}: ${error}`)
    return data
  }
  await eventually(30, 'Prometheus answers', () => get('status/buildinfo').catch(() => undefined))

  return {
    get,
    /** The samples of an expression, as of now. */
    async query(expr: string): Promise<Sample[]> {
      const { result } = await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expr)}`,
      )
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }))
    },
    alerts: async () => (await get<{ alerts: FiringAlert[] }>('alerts')).alerts,
  }
}

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>
