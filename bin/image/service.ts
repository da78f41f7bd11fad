import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from '../execa.ts'
import type { Image } from './build.ts'
import { bytesOf, type Service } from '../compose.ts'
import { besideLine, ran, startLine, type Inside } from './container.ts'
import { dotEnv } from './installation.ts'
import { memoryGroup } from './memory-group.ts'

export type Running = ReturnType<typeof startService>

/**
 * Starts a service of docker-compose.yml: its command, environment, secrets, volumes, file systems and limit of memory.
 * `folder` has `secrets/`, `config/` and `hosts`.
 */
export function startService(name: string, service: Service, { image, folder }: { image: Image; folder: string }) {
  const limit = bytesOf(service.mem_limit ?? '')
  const memory = memoryGroup(dirname(folder), name, limit)
  const inside: Inside = {
    root: image.root,
    folder: image.folder,
    user: image.user,
    env: { ...image.env, HOME: '/home/node', ...dotEnv, ...service.environment },
    mounts: mountsOf(service, image, folder),
    tmpfs: service.tmpfs ?? [],
    readOnly: service.read_only ?? false,
    memoryGroup: memory?.joinFile,
  }
  const lines: string[] = []
  const keep = function* (line: string) {
    lines.push(line)
    yield line
  }
  const [command, args, given] = startLine(inside, service.command ?? image.command)
  const child = execa(command, args, { ...given, stdout: keep, stderr: keep, buffer: false, reject: false })
  let isOver = false
  const ended = child.then(({ exitCode }) => {
    isOver = true
    return { exitCode, lines }
  })
  return {
    name,
    limit,
    lines,
    ended,
    memory,
    /** Runs a command beside it, as `docker compose exec` does. Resolves with its output. */
    exec: (words: string[]) => ran(besideLine(inside, first(), words), words.join(' ')),
    /** Asks it to end. Resolves with its exit code, also if it has ended by itself. */
    async stop(): Promise<number | undefined> {
      if (!isOver) process.kill(first(), 'SIGTERM')
      return (await ended).exitCode
    },
    async untilHealthy(): Promise<void> {
      const [, ...check] = service.healthcheck?.test ?? []
      for (let tries = 60; ; tries -= 1) {
        if (await isHealthy(check)) return
        if (tries === 0) throw new Error(`${name} is not healthy:\n${lines.slice(-20).join('\n')}`)
        await wait(500)
      }
    },
  }

  async function isHealthy(check: string[]): Promise<boolean> {
    const pid = firstIfAny()
    if (pid === undefined) return false
    const [beside, words, options] = besideLine(inside, pid, check)
    return !(await execa(beside, words, { ...options, reject: false })).failed
  }

  /** The first process inside, which gets the signals of `docker stop`. */
  function first(): number {
    const pid = firstIfAny()
    if (pid === undefined) throw new Error(`${name} is not running yet.`)
    return pid
  }

  /** Undefined until it is there. Throws if it has ended. */
  function firstIfAny(): number | undefined {
    if (isOver) throw new Error(`${name} has ended:\n${lines.slice(-20).join('\n')}`)
    const pids = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
    return pids === '' ? undefined : Number(pids)
  }
}

/** Each path is made in the root before, as an engine does. */
function mountsOf({ secrets = [], volumes = [] }: Service, { root }: Image, folder: string): Record<string, string> {
  const files = secrets.map((name) => [`/run/secrets/${name}`, join(folder, 'secrets', name)])
  const folders = volumes.map((volume) => {
    const [from = '', to = ''] = volume.split(':')
    return [to, join(folder, from)]
  })
  const hosts = ['/etc/hosts', join(folder, 'hosts')]
  const mounts = Object.fromEntries([...files, ...folders, hosts]) as Record<string, string>
  for (const path of Object.keys(mounts))
    makePoint(
      join(root, path),
      folders.some(([to]) => to === path),
    )
  return mounts
}

function makePoint(path: string, isFolder: boolean): void {
  mkdirSync(isFolder ? path : dirname(path), { recursive: true })
  if (!isFolder) appendFileSync(path, '')
}
