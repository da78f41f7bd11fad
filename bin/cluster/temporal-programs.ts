import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { launch } from '../local/launch.ts'
import { underLock } from '../local/lock.ts'
import type { ProcessRecord } from '../local/process-record.ts'

const source = fileURLToPath(new URL('../../tools/temporal-server', import.meta.url))
const server = 'go.temporal.io/server'

/** The version that tools/temporal-server pins. A test compares it with the images of docker-compose.yml. */
export const serverVersion = (): string =>
  /\sgo\.temporal\.io\/server v(\S+)/.exec(readFileSync(join(source, 'go.mod'), 'utf8'))?.[1] ?? ''

interface Building {
  environment: Record<string, string>
  record: ProcessRecord
  say: (text: string) => void
}

/**
 * The folder with `temporal-server`, `temporal-sql-tool` and `schema`. They are built once, with Go 1.26.4 or later, and
 * kept in the user's cache.
 */
export async function temporalPrograms(building: Building): Promise<string> {
  const { environment, say } = building
  const cache = join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'switchyard')
  const folder = join(cache, `temporal-server-${serverVersion()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const onWait = ({ pid }: { pid: number }) => say(`Process ${pid} is already building the Temporal server; waiting.`)
  return underLock(`${folder}.lock`, onWait, async () => {
    // Another process may have built it meanwhile.
    if (!existsSync(folder)) await build(folder, building)
    return folder
  })
}

async function build(folder: string, building: Building): Promise<void> {
  const unfinished = `${folder}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  building.say(`Building the Temporal server ${serverVersion()} from source, once. It takes minutes ...`)
  await compile(`${unfinished}/`, building)
  renameSync(join(unfinished, 'server'), join(unfinished, 'temporal-server'))
  renameSync(join(unfinished, 'sql'), join(unfinished, 'temporal-sql-tool'))
  const { stdout: module } = await execa('go', ['list', '-m', '-f', '{{.Dir}}', server], { cwd: source })
  cpSync(join(module, 'schema', 'postgresql'), join(unfinished, 'schema', 'postgresql'), { recursive: true })
  renameSync(unfinished, folder)
}

async function compile(target: string, { environment: env, record, say }: Building): Promise<void> {
  const programs = [`${server}/cmd/server`, `${server}/cmd/tools/sql`]
  const lines: string[] = []
  const command = {
    name: 'temporal-build',
    command: 'go',
    cwd: source,
    env,
    stopSignal: 'SIGTERM',
    stopSeconds: 5,
  } as const
  const args = ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', target, ...programs]
  const child = await launch({ ...command, args }, record, (line) => lines.push(line))
  let seconds = 0
  const timer = setInterval(() => say(`  ${(seconds += 20)} s: ${lines.length} packages so far`), 20_000)
  const how = await child.exited
  clearInterval(timer)
  if (how !== 'exit code 0')
    throw new Error(
      `The Temporal server could not be built (${how}). Go 1.26.4 or later is needed.\n${lines.at(-1) ?? ''}`,
    )
}
