import { parseLine, saysMessage, whenLines, type Program } from './program.ts'
import { showWarnings } from './terminal-output.ts'

interface NodeProgramOptions {
  name: string
  file: string
  /** Flags of Node. */
  flags?: string[]
  args?: string[]
  env: Record<string, string>
  /** The `msg` of the JSON log line that reports readiness. */
  readyMessage: string
  /** How long it drains after it is asked to end. */
  shutdownSeconds: number
}

/** A process of the platform, run by the same Node as this one. */
export function nodeProgram(options: NodeProgramOptions): Program {
  const { name, file, flags = [], args = [], env, readyMessage, shutdownSeconds } = options
  return {
    name,
    command: process.execPath,
    args: [...flags, file, ...args],
    env,
    stopSignal: 'SIGTERM',
    // It exits on its own five seconds after SHUTDOWN_SECONDS.
    stopSeconds: shutdownSeconds + 8,
    readySeconds: 60,
    ready: whenLines(saysMessage(readyMessage)),
    shown: showWarnings,
  }
}

interface SitesOptions {
  file: string
  certificates: string
  /** The folder for the tokens that the sites have issued. */
  data: string
  ports: readonly number[]
  /** The redirect URI that the OAuth site accepts. */
  redirectUri: string
  env: Record<string, string>
}

/** The example sites. Ready when each site has printed its address. */
export function sitesProgram({ file, certificates, data, ports, redirectUri, env }: SitesOptions): Program {
  const args = ['--certs', certificates, '--ports', ports.join(','), '--redirect-uri', redirectUri, '--data', data]
  const program = nodeProgram({ name: 'sites', file, args, env, readyMessage: '', shutdownSeconds: 0 })
  return { ...program, ready: whenLines((line) => parseLine(line)?.['origin'] !== undefined, ports.length) }
}
