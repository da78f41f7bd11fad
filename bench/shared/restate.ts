import { fileURLToPath } from 'node:url'
import { createControl } from '../../bin/local/control.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { whenAnswering } from '../../bin/local/program.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { record } from './folder.ts'
import { nodeProgram } from './programs.ts'

const { platform, arch } = process
const binary = fileURLToPath(
  new URL(`../peers/node_modules/@restatedev/restate-server-${platform}-${arch}/bin/restate-server`, import.meta.url),
)

/** A Restate server with its own defaults, which waits for its disk, and a service with a virtual object per agent. */
export async function openRestate(folder: string, more: Record<string, string>) {
  const { environment } = readLocalConfig()
  const [fabric = 0, ingressPort = 0, adminPort = 0, servicePort = 0] = await freePorts(4)
  const [ingress, admin] = [`http://127.0.0.1:${ingressPort}`, `http://127.0.0.1:${adminPort}`]
  const server = createControl(
    {
      name: 'restate-server',
      command: binary,
      args: ['--no-logo', '--listen-mode', 'tcp', '--bind-ip', '127.0.0.1', '--bind-port', String(fabric)],
      env: {
        ...environment,
        RESTATE_BASE_DIR: folder,
        RESTATE_INGRESS__BIND_PORT: String(ingressPort),
        RESTATE_ADMIN__BIND_PORT: String(adminPort),
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'error',
      },
      stopSignal: 'SIGTERM',
      stopSeconds: 10,
      readySeconds: 60,
      ready: whenAnswering(() => Promise.all([get(`${ingress}/restate/health`), get(`${admin}/health`)])),
    },
    record,
  )
  await server.start()
  const service = nodeProgram('bench/peers/restate-service.ts', {
    ...environment,
    ...more,
    RESTATE_LOGGING: 'ERROR',
    PORT: String(servicePort),
  })
  await service.start()
  await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${servicePort}` })
  return {
    ingress,
    service,
    /** How many invocations the server has on record. */
    async count(): Promise<number> {
      const query = "select count(*) as found from sys_invocation where target_service_name = 'agent'"
      const { rows } = (await post(`${admin}/query`, { query })) as { rows: { found: number }[] }
      return rows[0]?.found ?? 0
    },
    async close(): Promise<void> {
      await service.kill()
      await server.stop()
    },
  }
}

async function get(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
  return response.json()
}
