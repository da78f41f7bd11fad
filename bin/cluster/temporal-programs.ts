import { createHash } from 'node:crypto'
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

/** Every module is pinned by these two files. */
function hashOfModules(): string {
  const hash = createHash('sha256')
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(source, name)))
  return hash.digest('hex').slice(0, 12)
}

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
  const folder = join(cache, `temporal-server-${serverVersion()}-${hashOfModules()}`)
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
  await requireGo(building.environment)
  const unfinished = `${folder}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  building.say(`Building the Temporal server ${serverVersion()} from source, once. It takes minutes ...`)
  await compile(`${unfinished}/`, building)
  renameSync(join(unfinished, 'server'), join(unfinished, 'temporal-server'))
  renameSync(join(unfinished, 'sql'), join(unfinished, 'temporal-sql-tool'))
  cpSync(
    join(await moduleFolder(building.environment), 'schema', 'postgresql'),
    join(unfinished, 'schema', 'postgresql'),
    { recursive: true },
  )
  renameSync(unfinished, folder)
}

const needsGo = 'Go 1.26.4 or later is needed (https://go.dev/dl).'

async function requireGo(env: Record<string, string>): Promise<void> {
  const { failed } = await execa('go', ['version'], { cwd: source, env, extendEnv: false, reject: false })
  if (failed) throw new Error(`The Temporal server is built from source, but go cannot be started. ${needsGo}`)
}

/** Where Go keeps the source of the server, which has its schema. */
async function moduleFolder(env: Record<string, string>): Promise<string> {
  const list = ['list', '-m', '-f', '{{.Dir}}', server]
  const { failed, stdout, stderr } = await execa('go', list, { cwd: source, env, extendEnv: false, reject: false })
  if (failed) throw new Error(`go list cannot find the source of the Temporal server.\n${stderr}`)
  return stdout
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
    throw new Error(`The Temporal server could not be built (${how}). ${needsGo}\n${lines.slice(-5).join('\n')}`)
}
