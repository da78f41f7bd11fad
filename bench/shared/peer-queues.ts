import { freePorts } from '../../bin/local/ports.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { nodeProgram } from './programs.ts'

/** The secret that the peers' route expects, as long as the platform's. */
export const peerSecret = 'whsec_benchmark_0123456789abcdefghijklmnopqrstuv'

/** The route of a peer: what accepts. */
export async function peerRoute(name: string, more: Record<string, string>) {
  const [port = 0] = await freePorts(1)
  const env = { ...readLocalConfig().environment, SECRET: peerSecret, ...more, PORT: String(port) }
  return { control: nodeProgram(`bench/peers/${name}-route.ts`, env), url: `http://127.0.0.1:${port}` }
}

/** The process of a peer that carries out what was accepted. */
export const peerWorker = (name: string, more: Record<string, string>) =>
  nodeProgram(`bench/peers/${name}-worker.ts`, { ...readLocalConfig().environment, ...more })

/** The path of an agent behind a peer's route. */
export const peerPath = (agent: string): string => `/agents/${agent}/deliveries`
