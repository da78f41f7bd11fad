import { execa } from '../execa.ts'

/** What a command sees: a root of its own, and what is mounted there. */
export interface Inside {
  root: string
  env: Record<string, string>
  folder: string
  /** Undefined: root, with all capabilities. */
  user: number | undefined
  /** Files and folders of this machine by their path inside. They can only be read. Each path exists in the root. */
  mounts?: Record<string, string>
  tmpfs?: string[]
  readOnly?: boolean
  /** The file that puts a process into a group with limited memory. */
  memoryGroup?: string | undefined
}

/**
 * A command, its arguments and its environment. What a container gets is only in the environment, because every user of a
 * machine can see the arguments of a program.
 */
type Start = [command: string, args: string[], options: { env: Record<string, string>; extendEnv: false }]

/**
 * The command that starts `words` as the first process of its own process, mount and IPC namespaces. The
 * network is that of the caller. Without a user, the command has capabilities; with one, none, and it can gain none.
 */
export function startLine(inside: Inside, words: string[]): Start {
  const { root, mounts = {}, tmpfs = [], readOnly = false } = inside
  const at = (path: string) => quoted(`${root}${path}`)
  const lines = [
    `mount --bind ${quoted(root)} ${quoted(root)}`,
    `mount -t proc proc ${at('/proc')}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${quoted(root)}`] : []),
    ...Object.entries(mounts).flatMap(([path, from]) => [
      `mount --bind ${quoted(from)} ${at(path)}`,
      `mount -o remount,bind,ro ${at(path)}`,
    ]),
    ...tmpfs.map((path) => `mount -t tmpfs -o mode=1777 tmpfs ${at(path)}`),
    ...enter(inside, words),
  ]
  const namespaces = ['--mount', '--pid', '--ipc', '--fork', '--kill-child=SIGKILL']
  return ['unshare', [...namespaces, 'sh', '-euc', lines.join('\n')], { env: inside.env, extendEnv: false }]
}

/** The command that runs `words` beside the process `pid`, as `docker exec` does. */
export const besideLine = (inside: Inside, pid: number, words: string[]): Start => [
  'nsenter',
  ['--target', String(pid), '--mount', '--pid', '--ipc', 'sh', '-euc', enter(inside, words).join('\n')],
  { env: inside.env, extendEnv: false },
]

function enter({ root, folder, user, memoryGroup }: Inside, words: string[]): string[] {
  const none = ['--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const become = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, ...none]
  // Variables of the shell, which the image does not have.
  const unset = ['PWD', 'OLDPWD', 'SHLVL', '_'].map((name) => `--unset=${name}`)
  const command = ['chroot', root, ...become, 'env', ...unset, `--chdir=${folder}`, ...words]
  const join = memoryGroup === undefined ? [] : [`echo 0 > ${quoted(memoryGroup)}`]
  return [...join, `exec ${command.map(quoted).join(' ')}`]
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Runs a command to its end. Rejects with the end of its output if it fails. Resolves with all of it. */
export async function ran([command, args, options]: Start, what: string): Promise<string> {
  const { failed, exitCode, all } = await execa(command, args, { ...options, all: true, reject: false })
  if (failed) throw new Error(`${what} ended with exit code ${exitCode}:\n${all.split('\n').slice(-30).join('\n')}`)
  return all
}
